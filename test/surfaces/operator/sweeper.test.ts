/**
 * Whoever says that the sweeper works looks at when a run of it last ended well: `status`, `doctor` and the console. Each
 * run takes the lease when it begins, so a sweeper that crashes every minute has a fresh one.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeNow } from '#console/server/describe-now.ts';
import { MINUTE_MS } from '#core/time.ts';
import { describeSweeper } from '#operator/health/sweeper.ts';
import { Operator } from '#operator/operator.ts';
import { whileListingFails } from '#test/kit/break-refused-list.ts';
import { CliWorld } from '../cli/cli-world.ts';

let cli: CliWorld;
beforeEach(() => {
  cli = new CliWorld();
  cli.world.start();
});
afterEach(() => cli.world.stop());

/** What the three say. */
async function say() {
  const operator = new Operator({
    environment: 'local',
    clock: cli.world.clock,
    by: 'ada',
    program: 'holdfast',
    readDeployment: () => cli.gateway.deployment,
    openGateway: () => Promise.resolve(cli.gateway),
  });
  const status = await cli.run(['status']);
  const doctor = await cli.run(['doctor']);
  const console = await cli.world.clock.complete(describeNow(operator));
  return { status, json: (await cli.json(['status'])).value, doctor, console };
}

describe('a sweeper that crashes every minute', () => {
  it('is said to be wrong three minutes after its last good run, with its error, by all three', async () => {
    await cli.world.clock.advanceBy(90_000);
    const well = await say();
    expect(well.status.code).toBe(0);
    expect(well.doctor.stdout).toMatch(/ok +sweeper +a run ended well \d+ s ago\n/);
    expect(well.console.sentence).toMatch(/^All is well/);

    const bug = new TypeError('Unknown operation: undefined');
    // Of a store in memory, `status` itself cannot list refused requests meanwhile: it is asked afterwards.
    await whileListingFails(bug, () => cli.world.clock.advanceBy(5 * MINUTE_MS));
    const ill = await say();
    const sentence =
      /no run of the sweeper has ended well for \d+ (?:s|min); it last failed \d+ s ago: TypeError: Unknown operation: undefined/;
    expect(ill.status.code).toBe(1);
    expect(ill.status.stdout).toMatch(sentence);
    expect(ill.status.stdout).toMatch(new RegExp(`needs a person: ${sentence.source}`));
    expect(ill.doctor.code).toBe(1);
    expect(ill.doctor.stdout).toMatch(
      new RegExp(`WRONG +sweeper +${sentence.source}\\n +holdfast runbook events-overdue`),
    );
    expect(ill.console.sentence).toMatch(new RegExp(sentence.source, 'i'));
    expect(ill.console.next?.href).toBe('/alarms?runbook=events-overdue');
    expect(ill.json).toMatchObject({
      healthy: false,
      sweeper: { ended_well_at: expect.any(String), last_error: { text: 'TypeError: Unknown operation: undefined' } },
    });

    await cli.world.clock.advanceBy(MINUTE_MS);
    const again = await say();
    expect(again.status.code).toBe(0);
    expect(again.doctor.stdout).toMatch(
      /ok +sweeper +a run ended well \d+ s ago; last error \d+ (?:s|min) ago: TypeError/,
    );
    await cli.world.clock.advanceBy(61 * MINUTE_MS);
    expect((await say()).doctor.stdout).toMatch(/ok +sweeper +a run ended well \d+ s ago\n/);
  });

  it('is wrong from its first crash on, also right after a deploy', async () => {
    const fresh = { gateway: { deployedAt: cli.world.clock.now() } };
    expect((await cli.run(['doctor'], fresh)).stdout).toMatch(/ok +sweeper +no run has ended yet/);
    await whileListingFails(new TypeError('no such part'), () => cli.world.clock.advanceBy(70_000));
    const { code, stdout } = await cli.run(['doctor'], fresh);
    expect(code).toBe(1);
    expect(stdout).toMatch(/WRONG +sweeper +no run of the sweeper has ever ended well; it last failed/);
  });
});

describe('a sweeper that does not come to its end', () => {
  it('that never began is told apart from one that is ended from outside', async () => {
    cli.world.stop();
    expect((await cli.run(['doctor'])).stdout).toMatch(
      /WRONG +sweeper +no run .* has ever ended well; none ever began/,
    );
    // A pipeline asks right after its first deploy.
    const fresh = { gateway: { deployedAt: cli.world.clock.now() - 20_000 } };
    expect(await cli.run(['doctor'], fresh)).toMatchObject({ code: 0 });
    expect(await cli.run(['status'], fresh)).toMatchObject({ code: 0 });

    cli = new CliWorld({
      planOf: role => call => (role === 'sweep' && call.name === 'gauge.main' ? 'crash_before' : undefined),
    });
    cli.world.start();
    await cli.world.clock.advanceBy(5 * MINUTE_MS);
    expect((await cli.run(['doctor'])).stdout).toMatch(/WRONG +sweeper +.*; runs begin and do not end: see its log/);
  });

  it('whose schedule was disabled says since when', async () => {
    await cli.world.clock.advanceBy(90_000);
    cli.world.stop();
    await cli.world.clock.advanceBy(10 * MINUTE_MS);
    const { stdout } = await cli.run(['doctor']);
    expect(stdout).toMatch(/WRONG +sweeper +no run .* has ended well for 1\d min; none has begun since/);
  });
});

it('takes what a version wrote that knew no record for a gateway that was deployed just now', () => {
  const now = 1_000_000_000;
  const before = { leasedUntil: now + 20_000 };
  expect(describeSweeper({ ...before, deployedAt: now - MINUTE_MS }, now)).toBe(
    'no run has ended yet (it comes every minute)',
  );
  expect(describeSweeper({ ...before, deployedAt: now - 4 * MINUTE_MS }, now)).toMatch(/; runs begin and do not end/);
});
