/** Of a rotation of the master secret: the secrets of a page of endpoints are sealed anew, and with the first those of contacts. */
import { endpointsRange } from '#core/outbound/protocol/keys.ts';
import { reseal } from '#core/outbound/registry/secrets.ts';
import { json, type Reply } from '#core/reply.ts';
import { type ApiCall, applicationOf, bodyOf, cursorTo, PAGE_QUERY, pageOf, queryOf } from './api-call.ts';

const contacts = () => import('#core/outbound/registry/contacts.ts');

/** `key` names the master secret they are under now: whoever calls knows by it whether this process has read the new one. */
export async function resealSecrets(call: ApiCall): Promise<Reply> {
  bodyOf(call, {});
  queryOf(call, PAGE_QUERY);
  const { ports } = call;
  const { id } = await applicationOf(call);
  const asked = pageOf(call);
  const page = await ports.store.query({ ...endpointsRange(id), ...asked });
  const first =
    asked.cursor === undefined
      ? await (await contacts()).resealContacts(ports, id, ports.clock.now())
      : { resealed: 0, lost: [] };
  const lost: string[] = [...first.lost];
  let { resealed } = first;
  for (const { id: ep } of page.items) {
    const end = await reseal(ports, ep, ports.clock.now());
    if (end === 'lost') lost.push(ep);
    // One that somebody else changed four times in a row is met by the next walk.
    if (end === 'done' || end === 'version_changed') resealed += 1;
  }
  const cursor = cursorTo(call, page.cursor);
  return json(200, { key: ports.sealer.keyName, endpoints: page.items.length, resealed, lost, cursor });
}
