/**
 * What contacts are told, with a fault at every call of the function: who confirmed is told what is due, nobody more than
 * once an hour, and who did not confirm nothing but the question.
 */
import { expect, test } from 'vitest';
import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { tellContacts } from '#core/outbound/contacts/tell-contacts.ts';
import { disable } from '#core/outbound/gate/gate.ts';
import type { Mail } from '#core/outbound/ports.ts';
import { putContacts } from '#core/outbound/protocol/control-writes.ts';
import type { Contact } from '#core/outbound/protocol/items.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { type Fault, faultsOf } from '#test/kit/memory/faults.ts';
import { answered, OutboundWorld } from '#test/kit/outbound-world.ts';

const [KNOWN, STRANGER] = ['known@customer.com', 'stranger@customer.com'];
const RULES = { name: 'Acme', portalUrl: 'https://api.acme.com/portal' };
const CONFIRM = /^Confirm this address/;

interface Spoiled {
  /** Which call, from 1. */
  readonly n: number;
  readonly fault: Fault;
}

/** Six hours of an application: its endpoint is disabled, and the first run that sees it makes these calls. */
async function sixHours(spoiled?: Spoiled) {
  const calls: string[] = [];
  let watched = false;
  const world = new OutboundWorld({
    seed: 1,
    planOf: () => call => {
      if (!watched) return undefined;
      calls.push(call.name);
      return calls.length === spoiled?.n ? spoiled.fault : undefined;
    },
    processOf: () => ({ latencyMs: () => ({ there: 2, back: 3 }), stallMs: 30_000 }),
  });
  const { clock } = world;
  const mails: { readonly to: string; readonly subject: string; readonly at: number }[] = [];
  const box = { send: async ({ to, subject }: Mail) => void mails.push({ to, subject, at: clock.now() }) };
  let seed = 0;
  const run = async (): Promise<void> => {
    const process = world.process('people');
    const ports = {
      ...world.peoplePorts(process),
      ...{ crypto: nodeCrypto, sealer: aesSealer({ current: 'm'.repeat(64) }) },
      ...{ portalKeys: [new Uint8Array(32)], randomBytes: (count: number) => new Uint8Array(count).fill(++seed) },
      mailer: process.wrap('mailer', 'ses', box),
    };
    await clock.complete(process.run(() => tellContacts(ports as never, RULES, clock.now() + 40_000)));
  };
  const app = await clock.complete(world.createApplication());
  const ep = await clock.complete(world.createEndpoint(app, () => answered(200)));
  const createdAt = clock.now();
  const known = { id: 'con_known', email: KNOWN, createdAt, confirmedAt: createdAt, toldTo: createdAt };
  const stranger = { id: 'con_stranger', email: STRANGER, createdAt, askedAt: createdAt };
  const contacts = [known, stranger] as unknown as readonly Contact[];
  await clock.complete(world.insist(({ store }) => store.put(putContacts(app, 0, contacts, createdAt))));
  await clock.advanceBy(MINUTE_MS);
  const act = { by: 'operator', why: 'a test', now: clock.now() } as const;
  await clock.complete(world.insist(ports => disable(ports, ep, act)));
  await clock.advanceBy(12 * MINUTE_MS);
  watched = true;
  await run();
  const first = calls.length;
  for (let n = 0; n < 36; n++) {
    await clock.advanceBy(10 * MINUTE_MS);
    await run();
  }
  return { first, calls, mails };
}

/** By the hour, less what a run may last. */
const SHORTEST = HOUR_MS - MINUTE_MS;

test('a fault at every call: what is due is told, nobody is told twice within an hour, and none who did not confirm', async () => {
  const calm = await sixHours();
  const to = (mails: typeof calm.mails, address: string) => mails.filter(it => it.to === address);
  expect(calm.mails.map(({ to: address }) => address).toSorted()).toEqual([KNOWN, STRANGER]);
  expect(new Set(calm.calls.slice(0, calm.first))).toEqual(
    new Set(['store.query', 'store.getMany', 'store.put', 'store.get', 'mailer.send']),
  );
  const wrong: string[] = [];
  for (let n = 1; n <= calm.first; n++) {
    for (const fault of faultsOf(calm.calls[n - 1] ?? '')) {
      // The client of SES has one try (adapters/ses/ses-mailer.ts).
      if (fault === 'lost_reply_retried' && calm.calls[n - 1] === 'mailer.send') continue;
      const { mails } = await sixHours({ n, fault });
      const say = (what: string) => wrong.push(`${fault} at ${n} (${calm.calls[n - 1]}): ${what}`);
      if (to(mails, KNOWN).length === 0) say('LOST: nobody was told');
      for (const { subject } of to(mails, STRANGER)) if (!CONFIRM.test(subject)) say(`told unconfirmed: ${subject}`);
      for (const address of [KNOWN, STRANGER])
        for (const [at, mail] of to(mails, address).entries()) {
          const before = to(mails, address)[at - 1];
          if (before !== undefined && mail.at - before.at < SHORTEST)
            say(`DOUBLED: ${address} after ${mail.at - before.at} ms`);
        }
    }
  }
  expect(wrong).toEqual([]);
});
