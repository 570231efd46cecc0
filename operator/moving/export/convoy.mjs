/** What `holdfast out import --from convoy` reads, out of a running system: docs/send/moving.md. `CONVOY_PROJECT=… CONVOY_TOKEN=… node convoy.mjs > convoy.json` */
const base = process.env.CONVOY_URL ?? 'https://us.getconvoy.cloud';
const headers = { authorization: `Bearer ${process.env.CONVOY_TOKEN}` };
const get = async (path, query = {}) => {
  const url = `${base}/api/v1/projects/${process.env.CONVOY_PROJECT}${path}?${new URLSearchParams(query)}`;
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return (await answer.json()).data;
};
const all = async path => {
  const found = [];
  for (let query = { perPage: '100', direction: 'next' }; ; ) {
    const { content, pagination } = await get(path, query);
    found.push(...content);
    if (!pagination.has_next_page) return found;
    query = { ...query, next_page_cursor: pagination.next_page_cursor };
  }
};
const project = await get('');
const endpoints = await all('/endpoints');
const subscriptions = await all('/subscriptions');
for (const each of subscriptions) each.filters = await get(`/subscriptions/${each.uid}/filters`);
const event_types = await get('/event-types');
console.log(JSON.stringify({ project, endpoints, subscriptions, event_types }));
