/** An allow-list behind CloudFront: the address of the sender decides, not that of CloudFront, and not what a sender says. */
import { expect, it } from 'vitest';
import type { ResolvedConfig } from '#core/config/resolved-config.ts';
import { given } from '#core/given.ts';
import { EDGE_SECRET } from '#core/glossary.ts';
import { EDGE_HEADER } from '#core/inbound/ingest/through-edge.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';

const PROVIDER = '198.51.100.7';
const STRANGER = '203.0.113.66';
const EDGE_IP = '130.176.0.1';

function behindEdge(edge: NonNullable<ResolvedConfig['edge']> | undefined) {
  const world = new MemoryWorld({ source: { allowList: ['198.51.100.0/24'] }, ...given({ edge }) });
  world.secretValues.set(EDGE_SECRET, JSON.stringify({ current: 'of-the-edge' }));
  let number = 0;
  return async (from: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> => {
    const event = world.apiEvent({ id: `evt_${++number}` });
    const http = { ...event.requestContext.http, sourceIp: from };
    const request = {
      ...event,
      headers: { ...event.headers, ...headers },
      requestContext: { ...event.requestContext, http },
    };
    const outcome = await world.clock.complete(world.ingest.invoke(request));
    return outcome.kind === 'returned' ? JSON.parse(outcome.payload ?? '{}').statusCode : undefined;
  };
}
const through = (sender: string, secret = 'of-the-edge') => ({
  [EDGE_HEADER]: secret,
  'X-Forwarded-For': `${PROVIDER}, ${sender}, ${EDGE_IP}`,
});

it('takes the provider through the edge, and refuses a stranger who writes its address into a header', async () => {
  const send = behindEdge({ direct: 'accepted' });
  expect(await send(EDGE_IP, through(PROVIDER))).toBe(200);
  expect(await send(EDGE_IP, through(STRANGER))).toBe(403);
  expect(await send(STRANGER, through(PROVIDER, 'guessed'))).toBe(403);
  expect(await send(STRANGER, { 'X-Forwarded-For': PROVIDER })).toBe(403);
});

it('takes the provider beside the edge until that is refused', async () => {
  expect(await behindEdge({ direct: 'accepted' })(PROVIDER, {})).toBe(200);
  expect(await behindEdge({ direct: 'refused' })(PROVIDER, {})).toBe(403);
  expect(await behindEdge({ direct: 'refused' })(EDGE_IP, through(PROVIDER))).toBe(200);
});

it('gives nobody a say where there is no edge', async () => {
  const send = behindEdge(undefined);
  expect(await send(STRANGER, through(PROVIDER))).toBe(403);
  expect(await send(PROVIDER, through(STRANGER))).toBe(200);
});
