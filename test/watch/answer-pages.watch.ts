/**
 * Each runbook is followed once: its incident is made on the local AWS, its alarm rings, `holdfast runbook <alarm>` prints
 * it, and its first command shows what the page says one sees; so does each further one. What cannot be made here says why.
 * In the long run: it takes many minutes of a gateway that is broken throughout.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { findPython } from '#local/emulator/python.ts';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { BrokenGateway } from './runbooks/broken-gateway.ts';
import { INCIDENTS, type Incident, type Known, type Step } from './runbooks/incidents.ts';

const python = await findPython();
/** Those of a lane last: they wait for the others. */
const rows = Object.entries(INCIDENTS)
  .flatMap(([page, it]) => ('make' in it ? [{ page, ...it }] : []))
  .toSorted((a, b) => Number(a.lane !== undefined) - Number(b.lane !== undefined));

describe.skipIf(!python || !isLongRun())('a page is answered', () => {
  let place: BrokenGateway;
  beforeAll(async () => {
    place = await BrokenGateway.start();
  }, 10 * MINUTE_MS);
  afterAll(async () => {
    await place?.stop();
  }, MINUTE_MS);

  const answer = async (row: (typeof rows)[number]): Promise<void> => {
    const { make, alarm, says, shows, page, further = [], after = [] } = row;
    const known: Known = { ...row.known };
    await place.rests(alarm);
    const since = Date.now();
    const undo = await make(place, known);
    try {
      await place.rang(alarm, since);
      const printed = await place.holdfast(['runbook', `holdfast-local-${alarm}`]);
      const written = await readFile(join(PACKAGE_ROOT, 'docs/runbooks', `${page}.md`), 'utf8');
      expect(printed.split('\n')[0]).toBe(written.split('\n')[0]);
      expect(written).toContain(says);
      const [, first = ''] = /\n## First\n\n`(.*)`\n/.exec(printed) ?? [];
      const shown = await firstCommand(place, first.replace('<source>', known['source'] ?? '<source>'));
      console.log(`# ${page}: ${alarm} after ${Math.round((Date.now() - since) / 1_000)} s\n$ ${first}\n${shown}`);
      expect(shown).toMatch(shows);
      // As a person copies them from the screen.
      known['id'] = /^(\S+\.\S+) /m.exec(shown)?.[1] ?? '';
      known['sha256'] = /--body ([0-9a-f]{64})/.exec(shown)?.[1] ?? '';
      for (const step of further) await types(printed, step, known);
      await undo?.();
      for (const step of after) await types(printed, step, known);
    } finally {
      await undo?.();
    }
  };

  /** What the page prints, typed until it shows what it should: what was repaired takes a moment. */
  const types = async (printed: string, step: Step, known: Known): Promise<void> => {
    const { prints, shows, more = '', stdin, once } = step;
    const whole = step.types === undefined ? `holdfast ${prints} --env local` : prints;
    expect(printed.replaceAll('holdfast -- ', 'holdfast ')).toContain(whole);
    const line = `${step.types ?? prints} ${more}`.replaceAll(
      /<(\w+)>/g,
      (_, name: string) => known[name] ?? `<${name}>`,
    );
    // The reason is the only one of several words.
    const args = [...line.replace('"…"', 'rehearsed').trim().split(' '), '--env', 'local'];
    const until = Date.now() + 3 * MINUTE_MS;
    let shown = await place.holdfast(args, stdin);
    for (; !once && !shows.test(shown) && Date.now() < until; shown = await place.holdfast(args)) await wait(5_000);
    console.log(`$ holdfast ${args.join(' ')}\n${shown}`);
    expect(shown).not.toMatch(/^error: |^ {2}allowed: /m);
    expect(shown).toMatch(shows);
  };

  it.concurrent('an alarm that is let ring for a test goes back by itself', { timeout: 15 * MINUTE_MS }, async () => {
    const since = Date.now();
    const shown = await place.holdfast(['alarms', 'test', 'process-slow', '--yes', '--env', 'local']);
    console.log(`$ holdfast alarms test process-slow\n${shown}`);
    expect(shown).toMatch(/process-slow rang, and went back after/);
    expect(place.wentBack('process-slow', since)).toBe(true);
    const secrets = await place.holdfast(['secrets', 'ls', '--env', 'local']);
    console.log(secrets);
    expect(secrets).toMatch(/holdfast\/local\/default +requests to default +set /);
  });

  it.concurrent.each(rows)('$page', row => inItsLane(row, () => answer(row)), 45 * MINUTE_MS);
});

/** When each of a lane has ended; those without one are over before any lane begins. */
const over = new Map<string | undefined, Promise<unknown>>();

function inItsLane({ lane }: Incident, work: () => Promise<void>): Promise<void> {
  const before = Promise.all([over.get(undefined), lane && over.get(lane)]);
  const done = lane === undefined ? work() : before.then(work);
  const ended = done.catch(() => undefined);
  over.set(lane, Promise.all([over.get(lane), ended]));
  return done;
}

async function firstCommand(place: BrokenGateway, line: string): Promise<string> {
  if (line === 'aws lambda get-account-settings --query AccountLimit') return await place.accountLimit();
  const [, args = ''] = /holdfast (?:-- )?(.*)/.exec(line) ?? [];
  return await place.holdfast(args.split(' '));
}
