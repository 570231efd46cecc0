import { describe, expect, it } from 'vitest';
import { findPython } from '#local/emulator/python.ts';
import { freePort } from '#test/kit/free-port.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { runScript } from './run-script.ts';

const python = await findPython();

describe('npm run drill', () => {
  it.each([
    [[], /^No drill was named\./],
    [['deadletter'], /^There is no drill "deadletter"\./],
    [['backlog', 'bad-secret'], /^There is no drill "backlog bad-secret"\./],
  ])('with %j names the drills there are', async (args, message) => {
    const run = runScript('drill', args);
    expect(await run.exitCode).toBe(2);
    expect(run.stderr()).toMatch(message);
    expect(run.stderr()).toContain('dead-letter, backlog, bad-secret, silent-source, processor-down');
  });

  // The quickest takes more than a minute.
  it.skipIf(!python || !isLongRun()).each(['dead-letter', 'backlog', 'bad-secret', 'silent-source', 'processor-down'])(
    '%s shows everything it should',
    async name => {
      const run = runScript('drill', [name, '--port', String(await freePort())]);
      expect(await run.exitCode, run.stdout() + run.stderr()).toBe(0);
    },
    600_000,
  );
});
