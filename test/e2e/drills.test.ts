/** What `npm run drill` says of what it cannot play. The drills themselves are played by `npm run test:watch`. */
import { describe, expect, it } from 'vitest';
import { runScript } from './run-script.ts';

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
});
