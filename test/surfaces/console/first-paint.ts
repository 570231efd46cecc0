/**
 * When a page is first of use: as painted, from the start of the navigation to the frame that shows all it is asked for.
 * Each time is that of a fresh page with nothing kept, in a browser that runs already.
 *
 * On a machine with other work it would measure that work. So a round (an answer of one line, then the page) counts only if
 * this process and the browser had the machine for themselves, and the answer of one line came as fast as it does then;
 * any other round is made again.
 */
import { cpus } from 'node:os';
import type { Browser, BrowserContext } from 'playwright-core';

/** Of all cores. */
const MOST_OF_OTHERS = 0.1;
/** On two cores at rest it is painted after 60 to 80 ms. */
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
  /** What other programs took of all cores. */
  readonly others: number;
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
    const used = await meter(browser);
    const oneLineMs = await paintedAfter(contexts[0], oneLine, ['body > pre']);
    const paintedMs = await paintedAfter(contexts[1], url, shows);
    const round = { paintedMs, oneLineMs, others: await used() };
    await Promise.all(contexts.map(it => it.close()));
    // In the first round browser and server do what they do once.
    if (n < 0) continue;
    (round.others <= MOST_OF_OTHERS && oneLineMs <= MOST_FOR_ONE_LINE_MS ? counted : left).push(round);
  }
  return { counted, left };
}

/** NaN of none. */
export function medianPaint({ counted }: Painted): number {
  return counted.map(it => it.paintedMs).toSorted((a, b) => a - b)[Math.floor(counted.length / 2)] ?? Number.NaN;
}

export function tellPaints(painted: Painted): string {
  const told = (rounds: readonly Round[]): string =>
    rounds
      .map(it => `${Math.round(it.paintedMs)} (${Math.round(it.oneLineMs)}, ${Math.round(100 * it.others)} %)`)
      .join(', ') || 'none';
  return (
    `first useful paint of a fresh page: median ${Math.round(medianPaint(painted))} ms ` +
    '(in brackets: an answer of one line, and what other programs took of all cores): ' +
    `${told(painted.counted)}; not counted, as the machine was busy: ${told(painted.left)}`
  );
}

/** What others take of all cores from now on; the page must be open still when it is asked. */
async function meter(browser: Browser): Promise<() => Promise<number>> {
  const session = await browser.newBrowserCDPSession();
  const ofBrowser = async (): Promise<ReadonlyMap<number, number>> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return new Map(processInfo.map(({ id, cpuTime }) => [id, 1_000 * cpuTime]));
  };
  const [machine, own, browserOwn] = [coreTimes(), process.cpuUsage(), await ofBrowser()];
  return async () => {
    const { user, system } = process.cpuUsage(own);
    let ours = (user + system) / 1_000;
    for (const [id, ms] of await ofBrowser()) ours += ms - (browserOwn.get(id) ?? 0);
    const now = coreTimes();
    await session.detach();
    return Math.max(0, now.busy - machine.busy - ours) / (now.all - machine.all);
  };
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

async function paintedAfter(context: BrowserContext, url: string, shows: readonly string[]): Promise<number> {
  const page = await context.newPage();
  await page.addInitScript(`(${TELL_WHEN_PAINTED})(${JSON.stringify(shows)})`);
  // Told by the page: who asks it takes of its time.
  const told = page.waitForEvent('console', {
    predicate: message => message.text().startsWith('painted '),
    timeout: SHOWN_WITHIN_MS,
  });
  const [message] = await Promise.all([told, page.goto(url, { waitUntil: 'commit' })]);
  return Number(message.text().split(' ')[1]);
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
