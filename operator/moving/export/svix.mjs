/** What `holdfast out import --from svix` reads, out of a running system: docs/send/moving.md. `SVIX_TOKEN=… node svix.mjs > svix.json` */
const base = process.env.SVIX_URL ?? 'https://api.svix.com';
const headers = { authorization: `Bearer ${process.env.SVIX_TOKEN}` };
const get = async path => {
  const answer = await fetch(`${base}/api/v1/${path}`, { headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};
const all = async (path, query = {}) => {
  const found = [];
  for (let iterator; ; ) {
    const page = await get(`${path}?${new URLSearchParams({ limit: '100', ...query, ...(iterator && { iterator }) })}`);
    found.push(...page.data);
    if (page.done) return found;
    iterator = page.iterator;
  }
};
const event_types = await all('event-type', { include_archived: 'true', with_content: 'true' });
const applications = await all('app');
for (const app of applications) {
  app.endpoints = await all(`app/${app.id}/endpoint`);
  for (const endpoint of app.endpoints) {
    const at = `app/${app.id}/endpoint/${endpoint.id}`;
    endpoint.secret = await get(`${at}/secret`);
    endpoint.headers = await get(`${at}/headers`);
    endpoint.transformation = await get(`${at}/transformation`).catch(() => undefined);
  }
}
console.log(JSON.stringify({ event_types, applications }));
