/** Refused requests are seen: each with its likely cause, counted in `status`, never with a signature, never replayed. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { CliWorld } from './cli-world.ts';

let cli: CliWorld;
beforeEach(async () => {
  cli = new CliWorld({ source: { quarantine: true } });
  for (let n = 0; n < 12; n++) {
    const event = cli.world.apiEvent({ id: `evt_${n}`, source: 'shop' });
    const headers = { ...event.headers, 'x-webhook-signature': `sha256=${'0'.repeat(64)}`, authorization: 'canary' };
    const outcome = await cli.world.clock.complete(cli.world.ingest.invoke({ ...event, headers }));
    expect(JSON.stringify(outcome)).toContain('401');
    await cli.world.clock.advanceTo(cli.world.clock.now() + 1_000);
  }
});

/** Sends one more to the gateway that is refused. */
async function refuse(n: number): Promise<void> {
  const event = cli.world.apiEvent({ id: `evt_${n}`, source: 'pay' });
  const headers = { ...event.headers, 'x-webhook-signature': `sha256=${'0'.repeat(64)}` };
  await cli.world.ingest.invoke({ ...event, headers });
}

describe('events tail', () => {
  /** Follows while refused requests come, one a second; what it said of each, and how long after. */
  async function tail(args: readonly string[], count: number): Promise<{ lines: readonly string[]; lateMs: number }> {
    const stop = new AbortController();
    const { clock } = cli.world;
    const lines: string[] = [];
    const sentAt: number[] = [];
    let lateMs = 0;
    const onStdout = (text: string): void => {
      for (const line of text
        .trimEnd()
        .split('\n')
        .filter(it => it.includes('mismatch'))) {
        lines.push(line);
        lateMs = Math.max(lateMs, clock.now() - (sentAt[lines.length - 1] ?? 0));
      }
    };
    for (let n = 0; n < count; n++)
      clock.after(3_000 + 1_000 * n, () => {
        sentAt.push(clock.now());
        void refuse(100 + n);
      });
    clock.after(6_000 + 1_000 * count, () => stop.abort());
    await cli.run(['events', 'tail', '--name', `refused-${args.length}`, ...args], { signal: stop.signal, onStdout });
    rmSync(join(HOLDFAST_DIRECTORY, 'cursors', `local-refused-${args.length}.json`), { force: true });
    return { lines, lateMs };
  }

  it('tells of each within two seconds, with its likely cause, and of none that was there before', async () => {
    const { lines, lateMs } = await tail([], 12);
    expect(lines).toHaveLength(12);
    for (const line of lines)
      expect(line).toMatch(/pay +mismatch +refused +pay\.mismatch\.\d\d +The secret here is not/);
    expect(lateMs).toBeLessThanOrEqual(2_000);
  });

  it('says the same as JSON, and with --since of what is there already', async () => {
    const { lines } = await tail(['--json', '--since', '1h'], 1);
    const found = lines.map(line => JSON.parse(line));
    expect(found).toHaveLength(13);
    for (const it of found) expect(it).toMatchObject({ status: 'refused', cause: 'mismatch' });
  });
});

describe('twelve refused requests', () => {
  it('are not said to be none where the cause that was asked for is none', async () => {
    const { code, stdout, stderr } = await cli.run(['refused', 'ls', '--cause', 'mismach']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/cause: "mismach"[\s\S]*stale[\s\S]*did you mean mismatch\?/);
  });

  it('are listed, newest first, each with its likely cause', async () => {
    const { code, stdout } = await cli.run(['refused', 'ls', '--json']);
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as { id: string; cause: string; likely: string; at: string }[];
    expect(found).toHaveLength(12);
    for (const { cause, likely } of found) {
      expect(cause).toBe('mismatch');
      expect(likely).toContain('secret');
    }
    expect(found.map(it => it.at)).toEqual(
      found
        .map(it => it.at)
        .sort()
        .reverse(),
    );
    expect(JSON.parse((await cli.run(['refused', 'ls', '--source', 'pay', '--json'])).stdout)).toEqual([]);
    expect((await cli.run(['refused', 'ls'])).stdout).toMatch(/shop\.mismatch\.\d\d/);
  });

  it('are shown with body and headers, without signature and credentials', async () => {
    const [newest] = JSON.parse((await cli.run(['refused', 'ls', '--json'])).stdout) as { id: string }[];
    const { code, stdout, stderr } = await cli.run(['refused', 'show', newest?.id ?? '']);
    expect(code).toBe(0);
    expect(stdout).toContain('evt_11');
    expect(stdout).not.toContain('canary');
    expect(stdout).not.toContain('000000');
    expect(stderr).toContain('cannot be replayed');
  });

  it('are counted by status', async () => {
    expect((await cli.run(['status'])).stdout).toMatch(/refused\s+shop: 12 mismatch/);
    const refused = (JSON.parse((await cli.run(['status', '--json'])).stdout) as { refused: unknown }).refused;
    expect(refused).toMatchObject([{ source: 'shop', cause: 'mismatch', count: 12 }]);
  });

  it('are counted by doctor with the likely cause and the command that shows them', async () => {
    const { stdout } = await cli.run(['doctor']);
    expect(stdout).toMatch(
      /warning +refused +shop: 12 for mismatch .*The secret here is not.*\n +holdfast refused ls --source shop/,
    );
  });

  it('are a lower bound once as many are kept as can be', async () => {
    const countOf = async () => / pay: (.*) for mismatch/.exec((await cli.run(['doctor'])).stdout)?.[1];
    for (let n = 0; n < 19; n++) {
      await refuse(n);
      await cli.world.clock.advanceTo(cli.world.clock.now() + 1_000);
    }
    expect(await countOf()).toBe('19');
    await refuse(19);
    expect(await countOf()).toBe('20 or more');
  });

  it('that are not kept are named as such', async () => {
    const { code, stderr } = await cli.run(['refused', 'show', 'shop.stale.00']);
    expect(code).toBe(3);
    expect(stderr).toContain('refused ls');
  });
});
