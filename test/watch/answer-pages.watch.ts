/**
 * Each runbook is followed once: its incident is made on the local AWS, its alarm rings, `holdfast runbook <alarm>` prints
 * it, and its first command shows what the page says one sees. What cannot be made here says why,
 * and what nobody has followed yet says how. In the long run: it takes ten minutes of a gateway that is broken throughout.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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

  const answer = async ({ make, alarm, says, shows, source, page }: (typeof rows)[number]): Promise<void> => {
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
    } finally {
      await undo?.();
    }
  };

  it.concurrent.each(rows)('$page', row => inItsLane(row, () => answer(row)), 25 * MINUTE_MS);
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
  const [, args = ''] = /holdfast (?:-- )?(.*)/.exec(line) ?? [];
  return await place.holdfast(...args.split(' '));
}
