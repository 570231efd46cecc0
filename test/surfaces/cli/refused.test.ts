/** Refused requests are seen: each with its likely cause, counted in `status`, never with a signature, never replayed. */
import { beforeEach, describe, expect, it } from 'vitest';
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

describe('twelve refused requests', () => {
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

  it('that are not kept are named as such', async () => {
    const { code, stderr } = await cli.run(['refused', 'show', 'shop.stale.00']);
    expect(code).toBe(3);
    expect(stderr).toContain('refused ls');
  });
});
