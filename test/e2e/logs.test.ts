/** `holdfast logs` on a local AWS: the lines of a source, those of one event with its stack, new ones as they come. Long runs only. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPython } from '#local/python.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { runOnAws } from './cli-on-aws.ts';
import { GatewayUnderTest, genericEvent } from './gateway-under-test.ts';
import { reportMissingPython } from './needs-python.ts';

const python = isLongRun() ? await findPython() : undefined;
if (isLongRun()) reportMissingPython(python);

describe.skipIf(!python)('logs on a gateway of its own', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await GatewayUnderTest.start();
  }, 600_000);
  afterAll(() => gateway?.stop());

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
  }, 900_000);
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
