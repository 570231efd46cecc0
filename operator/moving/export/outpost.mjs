/** What `holdfast out import --from outpost` reads, out of a running system: docs/send/moving.md. `OUTPOST_URL=https://…/api/v1 OUTPOST_TOKEN=… node --env-file=outpost.env outpost.mjs > outpost.json` */
const headers = { authorization: `Bearer ${process.env.OUTPOST_TOKEN}` };
const get = async path => {
  const answer = await fetch(`${process.env.OUTPOST_URL}${path}`, { headers });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
};
const tenants = [];
for (let next = ''; next !== undefined; ) {
  const page = await get(`/tenants?limit=100${next && `&next=${encodeURIComponent(next)}`}`);
  tenants.push(...page.models);
  next = page.pagination.next ?? undefined;
}
for (const tenant of tenants) tenant.destinations = await get(`/tenants/${encodeURIComponent(tenant.id)}/destinations`);
const settings = Object.entries(process.env).filter(([name]) => name.startsWith('DESTINATIONS_WEBHOOK_'));
console.log(JSON.stringify({ config: Object.fromEntries(settings), topics: await get('/topics'), tenants }));
