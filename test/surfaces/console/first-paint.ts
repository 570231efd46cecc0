/**
 * When a page is first of use: as painted, from the start of the navigation to the frame that shows all it is asked for.
 * Each time is that of a fresh page with nothing kept, in an open tab of a browser that runs and is at rest: opening the
 * tab takes a browser some hundred milliseconds more, whatever it opens.
 *
 * On a machine with other work it would measure that work. So a round (an answer of one line, then the page) counts only if
 * the machine came to rest before each, and the answer of one line came as fast as it does then; any other round is made
 * again.
 */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';

/** Of all cores, while nothing of ours runs. */
const MOST_AT_REST = 0.1;
const REST_MS = 250;
/** By then a tab is open, and the processes of those that were closed have ended. */
const RESTS_WAITED_FOR = 8;
/** On two cores at rest it is painted after 40 to 80 ms. */
const MOST_FOR_ONE_LINE_MS = 150;
const SHOWN_WITHIN_MS = 30_000;

export interface FirstPaint {
  /** All of these are on the screen. */
  readonly shows: readonly string[];
  /** So many rounds that count. */
  readonly rounds: number;
  readonly mostTries: number;
}

interface Round {
  readonly paintedMs: number;
  readonly oneLineMs: number;
}

export interface Painted {
  readonly counted: readonly Round[];
  /** The machine was busy. */
  readonly left: readonly Round[];
}

export async function firstPaint(
  browser: Browser,
  url: string,
  { shows, rounds, mostTries }: FirstPaint,
): Promise<Painted> {
  const oneLine = new URL('/assets/none.css', url).href;
  const counted: Round[] = [];
  const left: Round[] = [];
  for (let n = -1; n < mostTries && counted.length < rounds; n++) {
    const contexts = await Promise.all([browser.newContext(), browser.newContext()]);
    const line = await paintedAfter(contexts[0], oneLine, ['body > pre']);
    const page = await paintedAfter(contexts[1], url, shows);
    await Promise.all(contexts.map(it => it.close()));
    // In the first round browser and server do what they do once.
    if (n < 0) continue;
    const alone = line.rested && page.rested && line.ms <= MOST_FOR_ONE_LINE_MS;
    (alone ? counted : left).push({ paintedMs: page.ms, oneLineMs: line.ms });
  }
  return { counted, left };
}

/** NaN of none. */
export function medianPaint({ counted }: Painted): number {
  return counted.map(it => it.paintedMs).toSorted((a, b) => a - b)[Math.floor(counted.length / 2)] ?? Number.NaN;
}

export function tellPaints(painted: Painted): string {
  const told = (rounds: readonly Round[]): string =>
    rounds.map(it => `${Math.round(it.paintedMs)} (${Math.round(it.oneLineMs)})`).join(', ') || 'none';
  return (
    `first useful paint of a fresh page: median ${Math.round(medianPaint(painted))} ms ` +
    `(in brackets: an answer of one line): ${told(painted.counted)}; ` +
    `not counted, as the machine was busy: ${told(painted.left)}`
  );
}

async function comesToRest(): Promise<boolean> {
  for (let n = 0; n < RESTS_WAITED_FOR; n++) {
    const before = coreTimes();
    await sleep(REST_MS);
    const now = coreTimes();
    if (now.busy - before.busy <= MOST_AT_REST * (now.all - before.all)) return true;
  }
  return false;
}

function coreTimes(): { readonly busy: number; readonly all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const working = times.user + times.nice + times.sys + times.irq;
    busy += working;
    all += working + times.idle;
  }
  return { busy, all };
}

/** `rested`: when it began. */
async function paintedAfter(
  context: BrowserContext,
  url: string,
  shows: readonly string[],
): Promise<{ readonly ms: number; readonly rested: boolean }> {
  const page = await context.newPage();
  await page.addInitScript(`(${TELL_WHEN_PAINTED})(${JSON.stringify(shows)})`);
  const rested = await comesToRest();
  // Told by the page: who asks it takes of its time.
  const told = page.waitForEvent('console', {
    predicate: message => message.text().startsWith('painted '),
    timeout: SHOWN_WITHIN_MS,
  });
  const [message] = await Promise.all([told, page.goto(url, { waitUntil: 'commit' })]);
  return { ms: Number(message.text().split(' ')[1]), rested };
}

/** Runs in the page, before anything of it. The browser says when it painted an element that has a name for it. */
const TELL_WHEN_PAINTED = `shows => {
  const times = new Map();
  new MutationObserver(() => {
    for (const each of shows) document.querySelector(each)?.setAttribute('elementtiming', each);
  }).observe(document, { childList: true, subtree: true });
  new PerformanceObserver(list => {
    for (const { identifier, renderTime } of list.getEntries()) times.set(identifier, times.get(identifier) ?? renderTime);
    if (times.size === shows.length) console.log('painted ' + Math.max(...times.values()));
  }).observe({ type: 'element', buffered: true });
}`;
