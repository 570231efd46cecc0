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
import { INCIDENTS, type Incident } from './runbooks/incidents.ts';

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
    const { make, alarm, says, shows, source, page, further = [], after = [] } = row;
    await place.rests(alarm);
    const since = Date.now();
    const undo = await make(place);
    try {
      await place.rang(alarm, since);
      const printed = await place.holdfast('runbook', `holdfast-local-${alarm}`);
      const written = await readFile(join(PACKAGE_ROOT, 'docs/runbooks', `${page}.md`), 'utf8');
      expect(printed.split('\n')[0]).toBe(written.split('\n')[0]);
      expect(written).toContain(says);
      const [, first = ''] = /\n## First\n\n`(.*)`\n/.exec(printed) ?? [];
      const shown = await firstCommand(place, first.replace('<source>', source ?? '<source>'));
      console.log(`# ${page}: ${alarm} after ${Math.round((Date.now() - since) / 1_000)} s\n$ ${first}\n${shown}`);
      expect(shown).toMatch(shows);
      for (const [command, then] of further) await types(printed, command, then);
      await undo?.();
      for (const [command, then] of after) await types(printed, command, then);
    } finally {
      await undo?.();
    }
  };

  /** What the page prints, typed until it shows what it should: what was repaired takes a moment. */
  const types = async (printed: string, command: string, shows: RegExp): Promise<void> => {
    expect(printed.replaceAll('holdfast -- ', 'holdfast ')).toContain(`holdfast ${command} --env local`);
    const args = [...command.split(' '), '--env', 'local'];
    const until = Date.now() + 3 * MINUTE_MS;
    let shown = await place.holdfast(...args);
    for (; !shows.test(shown) && Date.now() < until; shown = await place.holdfast(...args)) await wait(5_000);
    console.log(`$ holdfast ${command}\n${shown}`);
    expect(shown).toMatch(shows);
  };

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
  return await place.holdfast(...args.split(' '));
}
