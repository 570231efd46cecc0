/** How far the deliveries of one list were compared: stored after every page, so that a run that dies is gone on with. */
import { given } from '#core/given.ts';
import type { EpochMs } from '#core/glossary.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { HOUR_MS } from '#core/time.ts';
import type { ListWindow } from './delivery-api.ts';

/** A window that is being compared, and the page that comes next. */
export interface OpenWindow extends ListWindow {
  readonly cursor?: string;
  readonly pages: number;
}

export interface Progress {
  /** Everything the provider listed before this time was compared. */
  readonly doneUntil?: EpochMs;
  readonly window?: OpenWindow;
}

export interface WindowRules {
  /** How far the first run looks back. */
  readonly lookbackMs: number;
  /** How far back the provider's list goes. */
  readonly memoryMs: number;
  /** A delivery younger than this may still be on its way. */
  readonly settleMs: number;
}

/** Compared again by the next window: a list may show a delivery late, and clocks differ. */
const OVERLAP_MS = HOUR_MS;

/** Reads what was stored; anything else counts as nothing, which costs a longer window and no event. */
export function parseProgress(text: string | undefined): Progress {
  const raw = decodeJsonObject(text ?? '');
  const doneUntil = timeOf(raw?.['doneUntil']);
  const window = windowOf(raw?.['window']);
  return given({ doneUntil, window });
}

/** The window to go on with, or the next one. A clock that went back never skips anything: it lists more. */
export function chooseWindow(progress: Progress, now: EpochMs, rules: WindowRules): OpenWindow {
  const { doneUntil, window } = progress;
  const oldest = now - rules.memoryMs;
  if (window && window.to <= now && window.from >= oldest - OVERLAP_MS) return window;
  const to = now - rules.settleMs;
  const known = doneUntil ?? to - rules.lookbackMs;
  const from = known > to + OVERLAP_MS ? oldest : Math.min(known, to) - OVERLAP_MS;
  return { from: Math.max(from, oldest), to, pages: 0 };
}

function windowOf(value: unknown): OpenWindow | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { from, to, cursor, pages } = value as Partial<Record<keyof OpenWindow, unknown>>;
  const [start, end, count] = [timeOf(from), timeOf(to), timeOf(pages)];
  if (start === undefined || end === undefined || count === undefined) return undefined;
  return { from: start, to: end, pages: count, ...(typeof cursor === 'string' ? { cursor } : {}) };
}

function timeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
