import { describe, expect, test } from 'vitest';
import { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { CachedSecrets } from '#adapters/secrets/cached-secrets.ts';
import { toSourceId } from '#core/glossary.ts';
import { MINUTE_MS } from '#core/time.ts';
import { MemorySecretValues } from '#test/kit/memory/memory-secrets.ts';

const stripe = toSourceId('stripe');

function build() {
  const clock = new VirtualClock();
  const values = new MemorySecretValues();
  return { clock, values, secrets: new CachedSecrets(values, clock) };
}
const secretOf = (current: string) => ({ kind: 'secret', secret: { current } });

describe('cached secrets', () => {
  test('are fetched once in five minutes, and a change is seen within them', async () => {
    const { clock, values, secrets } = build();
    values.set(stripe, 'one');
    for (let n = 0; n < 10; n++) expect(await secrets.get(stripe)).toEqual(secretOf('one'));
    expect(values.fetches).toBe(1);
    values.set(stripe, 'two');
    await clock.advanceBy(5 * MINUTE_MS - 1);
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
    await clock.advanceBy(1);
    expect(await secrets.get(stripe)).toEqual(secretOf('two'));
  });

  test('are read ahead in one call, and those that are not told so one by one', async () => {
    const { values, secrets } = build();
    const github = toSourceId('github');
    values.set(stripe, 'one');
    await secrets.prime([stripe, github]);
    // One call for both, and one for what it did not tell.
    expect(values.fetches).toBe(2);
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
    expect(await secrets.get(github)).toEqual({ kind: 'unset' });
    expect(values.fetches).toBe(2);
  });

  test('that are not set are asked for again after ten seconds: somebody sets one up right now', async () => {
    const { clock, values, secrets } = build();
    expect(await secrets.get(stripe)).toEqual({ kind: 'unset' });
    values.set(stripe, 'one');
    await clock.advanceBy(9_999);
    expect(await secrets.get(stripe)).toEqual({ kind: 'unset' });
    await clock.advanceBy(1);
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
  });

  test('that cannot be read ahead keep nothing from starting, and are asked for again', async () => {
    const { values, secrets } = build();
    values.set(stripe, 'one');
    values.unreachable = true;
    await secrets.prime([stripe]);
    expect(values.fetches).toBe(2);
    values.unreachable = false;
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
  });

  test('share one fetch among requests that arrive together', async () => {
    const { values, secrets } = build();
    values.set(stripe, 'one');
    await Promise.all(Array.from({ length: 20 }, () => secrets.get(stripe)));
    expect(values.fetches).toBe(1);
  });

  test('serve the stale value while the store is unreachable, and recover', async () => {
    const { clock, values, secrets } = build();
    values.set(stripe, 'one');
    await secrets.get(stripe);
    values.unreachable = true;
    await clock.advanceBy(60 * MINUTE_MS);
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
    values.unreachable = false;
    values.set(stripe, 'two');
    await clock.advanceBy(10_000);
    expect(await secrets.get(stripe)).toEqual(secretOf('two'));
  });

  test('never cache a failed load: unreadable now, read at the next call', async () => {
    const { values, secrets } = build();
    values.set(stripe, 'one');
    values.unreachable = true;
    expect(await secrets.get(stripe)).toEqual({ kind: 'unreadable' });
    values.unreachable = false;
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
  });

  test('never cache a value that is not understood, and say why without showing it', async () => {
    const { clock, values } = build();
    const failures: string[] = [];
    const secrets = new CachedSecrets(values, clock, (source, error) => failures.push(`${source}: ${error}`));
    values.set(stripe, '{"current":5,"previous":"canary"}');
    expect(await secrets.get(stripe)).toEqual({ kind: 'unreadable' });
    expect(failures).toEqual(['stripe: TypeError: The stored secret has a "current" that is not a text: set it again']);
    values.set(stripe, 'one');
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
  });

  test('tell an unset secret from an unreadable one, and notice soon when it is set', async () => {
    const { clock, values, secrets } = build();
    expect(await secrets.get(stripe)).toEqual({ kind: 'unset' });
    values.set(stripe, 'one');
    await clock.advanceBy(30_000);
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
  });

  test('refresh at most once in 30 seconds per source, and say whether anything changed', async () => {
    const { clock, values, secrets } = build();
    values.set(stripe, 'one');
    await secrets.get(stripe);
    expect(await secrets.refresh(stripe)).toBe(false);
    values.set(stripe, 'two');
    expect(await secrets.refresh(stripe)).toBe(false);
    await clock.advanceBy(30_000);
    expect(await secrets.refresh(stripe)).toBe(true);
    expect(await secrets.get(stripe)).toEqual(secretOf('two'));
    const github = toSourceId('github');
    values.set(github, 'other');
    expect(await secrets.refresh(github)).toBe(true);
  });

  test('a refresh while another is under way waits for its answer', async () => {
    const { values, secrets } = build();
    values.set(stripe, 'one');
    await secrets.get(stripe);
    values.set(stripe, 'two');
    expect(await Promise.all([secrets.refresh(stripe), secrets.refresh(stripe)])).toEqual([true, true]);
    expect(values.fetches).toBe(2);
  });

  test('a refresh that fails changes nothing', async () => {
    const { values, secrets } = build();
    values.set(stripe, 'one');
    await secrets.get(stripe);
    values.unreachable = true;
    expect(await secrets.refresh(stripe)).toBe(false);
    expect(await secrets.get(stripe)).toEqual(secretOf('one'));
  });
});
