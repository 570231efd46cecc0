/** A function that lives for hours opens what the others seal while the master secret is rotated, and survives what is no secret. */
import { expect, it } from 'vitest';
import { masterKeys } from '#adapters/crypto/master-keys.ts';

const [OLD, NEW] = ['m'.repeat(64), 'n'.repeat(64)];
const PLAIN = new Uint8Array([1, 2, 3]);

it('opens with the new one once it was announced, seals with it from its next invocation on, and forgets the old one', async () => {
  let text = OLD;
  const [warm, other] = await Promise.all([
    masterKeys({ get: async () => text }),
    masterKeys({ get: async () => text }),
  ]);
  const first = warm.sealer.seal(PLAIN, 'ep_1');
  const old = warm.sealer.keyName;
  text = JSON.stringify({ current: OLD, previous: NEW, step: 'announced' });
  await Promise.all([warm.refresh(), other.refresh()]);
  expect([warm.sealer.keyName, warm.portalKeys().length]).toEqual([old, 2]);
  text = JSON.stringify({ current: NEW, previous: OLD, step: 'sealing' });
  await other.refresh();
  const second = other.sealer.seal(PLAIN, 'ep_1');
  // It has not read that yet.
  expect([...warm.sealer.open(second, 'ep_1')]).toEqual([1, 2, 3]);
  expect([warm.sealer.isCurrent(second, 'ep_1'), other.sealer.isCurrent(second, 'ep_1')]).toEqual([false, true]);
  text = NEW;
  await Promise.all([warm.refresh(), other.refresh()]);
  expect([...warm.sealer.open(second, 'ep_1')]).toEqual([1, 2, 3]);
  expect(warm.sealer.keyName).toBe(other.sealer.keyName);
  expect(warm.portalKeys()).toEqual((await masterKeys({ get: async () => NEW })).portalKeys());
  expect(() => warm.sealer.open(first, 'ep_1')).toThrow(RangeError);
});

it('keeps the last good one where Secrets Manager does not answer or somebody mistyped it; at its start it says so', async () => {
  let answer = async (): Promise<string> => OLD;
  const get = () => answer();
  const keys = await masterKeys({ get });
  const sealed = keys.sealer.seal(PLAIN, 'ep_1');
  for (const bad of ['', 'short', '{"current":""}', '{"current":7}', undefined]) {
    answer = bad === undefined ? () => Promise.reject(new Error('no answer')) : async () => bad;
    await keys.refresh();
    expect([...keys.sealer.open(sealed, 'ep_1')]).toEqual([1, 2, 3]);
    await expect(masterKeys({ get })).rejects.toThrow();
  }
});
