/** Owners of endpoints of kind pull: they read, die now and then before they acknowledge, and two of them read side by side. */
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { answering } from '#core/outbound/api/answering.ts';
import type { ApiCall } from '#core/outbound/api/api-call.ts';
import { acknowledge, readPulled } from '#core/outbound/api/deliveries/pull-api.ts';
import type { MessageId } from '#core/outbound/protocol/ids.ts';
import type { Reply } from '#core/reply.ts';
import { MINUTE_MS } from '#core/time.ts';
import type { OutboundWorld } from '#test/kit/outbound-world.ts';
import type { Ledger, LedgerEndpoint } from './ledger.ts';

const READERS = 2;
const sealer = aesSealer({ current: 'm'.repeat(64) });

export interface ReadersOf {
  readonly world: OutboundWorld;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  /** Nobody dies from then on. */
  readonly healed: () => boolean;
}

/** Until the endpoint is deleted. */
export function startReaders(of: ReadersOf, endpoint: LedgerEndpoint): void {
  for (let n = 0; n < READERS; n++) void read({ ...of, random: of.random.fork() }, endpoint);
}

async function read({ world, ledger, random, healed }: ReadersOf, endpoint: LedgerEndpoint): Promise<void> {
  const { clock } = world;
  const call = (
    work: (call: ApiCall) => Promise<Reply>,
    given: { readonly body?: string },
  ): Promise<Reply | undefined> =>
    world.act(ports => {
      const path = { app: endpoint.app, ep: endpoint.id };
      const asked = { ports: { ...ports, sealer }, rules: world.rules, path, query: {}, ...given };
      return answering('a reader', ports, () => work(asked as unknown as ApiCall));
    });
  while (endpoint.deletedAt === undefined) {
    await clock.sleep(random.int(20 * MINUTE_MS));
    // What happens beside it and until its answer is nobody's fault.
    const from = clock.now();
    const page = await call(readPulled, {});
    if (page?.status !== 200) continue;
    const { data, cursor } = JSON.parse(page.body) as { data: { id: MessageId }[]; cursor: string | null };
    const ids = data.map(({ id }) => id);
    for (const id of ids) ledger.given(endpoint, id, from);
    if (cursor === null || (!healed() && random.chance(0.2))) continue;
    await clock.sleep(random.int(MINUTE_MS));
    for (const id of ids) ledger.handled(endpoint, id);
    const acked = await call(acknowledge, { body: JSON.stringify({ cursor }) });
    if (acked?.status === 200) for (const id of ids) ledger.acked(endpoint, id, clock.now());
  }
}
