/**
 * On the real stacks, on a local AWS, long runs only:
 *  1. 3,000 dead letters of two causes: one is replayed, the other closed; then `dlq ls` is empty, `status` exits 0, the alarm
 *     is OK, and each record says what became of it;
 *  2. `holdfast logs` shows the lines of a source, those of one event with its stack, and new ones as they come.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventPk } from '#core/glossary.ts';
import { type AlarmChange, runAlarms } from '#local/alarms/alarms.ts';
import { findPython } from '#local/emulator/python.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { runOnAws } from './cli-on-aws.ts';
import { fix } from './cli-recording.ts';
import { GatewayUnderTest, genericEvent, pkOf } from './gateway-under-test.ts';
import { multiplyEvent } from './multiply-event.ts';
import { reportMissingPython } from './needs-python.ts';

const EACH = 1_500;
/** With `essential` alarms there is one for what is open. */
const OPEN_ALARM = /-process-dead-letters-(?:open|waiting)$/;
const python = isLongRun() ? await findPython() : undefined;
if (isLongRun()) reportMissingPython(python);

describe.skipIf(!python)('dead letters and logs on a gateway of its own', () => {
  let gateway: GatewayUnderTest;
  const ended = new AbortController();
  const changes: AlarmChange[] = [];
  let alarms: Promise<void> | undefined;
  beforeAll(async () => {
    gateway = await GatewayUnderTest.start();
    alarms = runAlarms(gateway.aws, gateway.clients, gateway.stacks, it => changes.push(it), ended.signal);
  }, 600_000);
  afterAll(async () => {
    ended.abort();
    await alarms;
    await gateway?.stop();
  });

  const holdfast = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runOnAws(gateway, args);
    expect(code, `${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  };

  it('shows logs of a source, of an event, and new ones as they come', async () => {
    const tailed: string[] = [];
    const stop = new AbortController();
    const onOutput = (text: string): void => void tailed.push(text);
    const tail = runOnAws(gateway, ['logs', '--source', 'default', '--tail'], { signal: stop.signal, onOutput });
    await wait(3_000);
    const throws = genericEvent('test.throws');
    expect((await gateway.sendUntilAcknowledged('default', throws)).status).toBe(200);
    await gateway.waitFor(throws.pk, item => item.attempts > 0 && item.lastError !== undefined);
    const id = `evt_default.${throws.key}`;
    const whole = async (): Promise<string> => tailed.join('');
    for (const read of [whole, () => holdfast('logs', '--source', 'default'), () => holdfast('logs', '--event', id)]) {
      const shown = await until(read, text => text.includes(id) && text.includes('TypeError'));
      expect(shown).toMatch(/handlers\/index\.ts:\d+:\d+/);
    }
    expect(await holdfast('logs', '--source', 'stripe')).not.toContain(id);
    stop.abort();
    expect((await tail).code).toBe(0);
    // Its other attempts would keep `status` from being well.
    await gateway.waitFor(throws.pk, item => item.status === 'dead_letter' && item.dlqSent === true);
    await holdfast('dlq', 'close', id, '--why', 'thrown on purpose', '--yes');
  }, 900_000);

  it('3,000 of two causes: one replayed, the other closed, and nothing is open', {
    retry: 0,
    timeout: 1_800_000,
  }, async () => {
    await fix(gateway, false);
    const [schema, refused] = [
      genericEvent('test.schema_new'),
      genericEvent('drill.event', undefined, { behave: 'die' }),
    ];
    const keys: Record<string, readonly string[]> = {};
    for (const [cause, event] of Object.entries({ schema, permanent: refused })) {
      expect((await gateway.sendUntilAcknowledged('default', event)).status).toBe(200);
      await gateway.waitFor(event.pk, item => item.dlqSent === true);
      const receivedAt = Date.now() - 60_000;
      keys[cause] = [
        event.key,
        ...(await multiplyEvent(gateway, event.pk, EACH - 1, () => ({ source: 'default', receivedAt }))),
      ];
    }
    await until(
      async () => changes,
      all => all.some(it => OPEN_ALARM.test(it.name) && it.to === 'ALARM'),
    );
    const groups = async () =>
      (JSON.parse(await holdfast('dlq', 'ls', '--json')) as { groups: { cause: string; count: number }[] }).groups;
    expect((await groups()).map(it => [it.cause, it.count]).toSorted()).toEqual([
      ['permanent', EACH],
      ['schema', EACH],
    ]);
    expect((await runOnAws(gateway, ['status'])).code).toBe(1);

    const startedAt = performance.now();
    const seconds = (): number => Math.round((performance.now() - startedAt) / 1_000);
    await holdfast(
      'dlq',
      'close',
      '--cause',
      'permanent',
      '--source',
      'default',
      '--since',
      '24h',
      '--why',
      'test data of a colleague',
      '--yes',
    );
    const closedAfter = seconds();
    await fix(gateway);
    await holdfast(
      'replay',
      '--cause',
      'schema',
      '--source',
      'default',
      '--since',
      '24h',
      '--rate',
      '300',
      '--why',
      'the schema is fixed',
      '--yes',
    );
    const pks = (cause: string): readonly EventPk[] => (keys[cause] ?? []).map(key => pkOf('default', key));
    await until(
      () => gateway.readAll(pks('schema')),
      items => items.every(it => it.status === 'completed' && it.gen === 2),
      600,
    );
    const completedAfter = seconds();
    const closed = await gateway.readAll(pks('permanent'));
    expect(
      closed.filter(
        it => it.status !== 'closed' || it.closing.by !== 'ada' || it.closing.why !== 'test data of a colleague',
      ),
    ).toEqual([]);
    expect(await holdfast('dlq', 'ls')).not.toContain('schema');
    expect(await groups()).toEqual([]);
    await until(
      async () => changes.findLast(it => OPEN_ALARM.test(it.name)),
      last => last?.to === 'OK',
      300,
    );
    const status = await until(
      () => runOnAws(gateway, ['status']),
      it => it.code === 0,
      300,
    );
    expect(status.stdout).toContain('healthy');
    expect(await holdfast('dlq', 'ls', '--closed')).toContain(String(EACH));
    console.log(
      `3,000 dead letters: ${EACH} closed after ${closedAfter} s, ${EACH} replayed and completed after ${completedAfter} s, status 0 after ${seconds()} s`,
    );
  });
});

/** Looks once a second until it holds. */
async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean, seconds = 120): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${JSON.stringify(value)?.slice(0, 2_000)}`);
    await wait(1_000);
  }
}
