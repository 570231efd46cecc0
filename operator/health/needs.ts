/** What needs a person, the gravest first, in the same words on the first screen of the console and in `status`. */
import { REFUSED_SLOTS } from '#core/inbound/protocol/event-item.ts';
import { MINUTE_MS } from '#core/time.ts';
import { countedText, guardText } from '#operator/customers/deliveries.ts';
import { likelyCause, type RefusedCount } from '#operator/refused/refused.ts';
import { ago, span } from '#operator/span.ts';
import { isNotice } from './alarm-words.ts';
import { muteText } from './mutes.ts';
import { describeSweeper, isSweeperLate } from './sweeper.ts';
import type { SystemView } from './system-view.ts';
import { isThrottled } from './throttles.ts';

export interface Need {
  readonly text: string;
  /** Worth knowing; nobody has to do something now. */
  readonly isNotice: boolean;
  /** The console's screen that goes on from here. */
  readonly next: { readonly text: string; readonly href: string };
}

/** Fewer requests of one cause in an hour are a scanner's or a test's. */
const REFUSED_OF_NOTE = 5;
/** A job that moves writes down each page, within seconds. */
const STUCK_MS = 3 * MINUTE_MS;

/** Empty when all is well. Of `view.unread`, the part is named and not judged. */
export function needsOf(view: SystemView, now: number): readonly Need[] {
  const all = [
    ...processor(view),
    ...deadLetters(view, now),
    ...alarms(view),
    ...sweeper(view, now),
    ...refused(view),
    ...jobs(view, now),
    ...customers(view, now),
    ...paused(view, now),
    ...muted(view, now),
    // Numbers of what was not read are shown as 0: this keeps a page from saying that all is well.
    ...view.unread.map(({ part, why, isNotice: isLittle }) =>
      need(`${part} cannot be read: ${why}`, { text: 'See the alarms', href: '/alarms' }, isLittle),
    ),
  ];
  return [...all.filter(each => !each.isNotice), ...all.filter(each => each.isNotice)];
}

/** The texts of what needs a person; notices are none. */
export const needsAPerson = (needs: readonly Need[]): readonly string[] =>
  needs.flatMap(({ text, isNotice: notice }) => (notice ? [] : [text]));

const need = (text: string, next: Need['next'], notice = false): Need => ({ text, isNotice: notice, next });

/** Somebody stopped it, or a deploy did not end: until it is started nothing runs. */
function processor({ processor: view }: SystemView): readonly Need[] {
  if (view === undefined || view.running) return [];
  const next = { text: 'Read the runbook', href: '/alarms?runbook=events-wait' };
  return [need(`the processor is stopped (${view.state}): events wait`, next)];
}

/** `over 300`, `100,000 (counted 5 min ago)`. */
export function deadCountText(
  { openDeadLetters = 0, deadLettersAt, deadLettersCapped }: SystemView,
  what: string,
  now: number,
): string {
  const count = `${deadLettersCapped ? 'over ' : ''}${openDeadLetters.toLocaleString('en')} ${what}`;
  const one = openDeadLetters === 1 ? count : `${count}s`;
  return deadLettersAt === undefined ? one : `${one} (counted ${ago(deadLettersAt, now)})`;
}

function deadLetters(view: SystemView, now: number): readonly Need[] {
  const { openDeadLetters: dead = 0 } = view;
  const text = deadCountText(view, 'dead letter', now);
  return dead === 0 ? [] : [need(text, { text: 'See what died', href: '/dead' })];
}

function alarms({ alarms: views = [], throttles = [] }: SystemView): readonly Need[] {
  const limits = throttles.length === 0 ? '' : `: ${throttles.join('; ')}`;
  return views
    .filter(alarm => alarm.state === 'ALARM' && !isNotice(alarm))
    .map(alarm =>
      need(`alarm ${alarm.name}${isThrottled(alarm) ? limits : ''}`, {
        text: 'Open the alarm',
        href: `/alarms?name=${encodeURIComponent(alarm.name)}`,
      }),
    );
}

function sweeper({ sweeper: view }: SystemView, now: number): readonly Need[] {
  if (view === undefined || !isSweeperLate(view, now)) return [];
  return [need(describeSweeper(view, now), { text: 'Read the runbook', href: '/alarms?runbook=events-overdue' })];
}

/** Of one cause and an hour: how many, and what is likely wrong. */
export function refusedText({ cause, count }: Pick<RefusedCount, 'cause' | 'count'>): string {
  const many = count >= REFUSED_SLOTS ? `at least ${count}` : String(count);
  return `refused ${many} ${count === 1 ? 'request' : 'requests'} in the last hour. ${likelyCause(cause).replace(/\.$/, '')}`;
}

/** Of each source, the cause that came most often. At most 20 requests of a cause are kept. */
function refused({ refused: counts = [] }: SystemView): readonly Need[] {
  const worst = new Map(counts.toReversed().map(each => [each.source, each]));
  return [...worst.values()]
    .filter(({ count }) => count >= REFUSED_OF_NOTE)
    .map(each => {
      const { source } = each;
      return need(
        `${source} ${refusedText(each)}`,
        { text: 'See them', href: `/sources/${encodeURIComponent(source)}?tab=refused` },
        true,
      );
    });
}

function jobs({ jobs: running = [] }: SystemView, now: number): readonly Need[] {
  return running
    .filter(({ updatedAt }) => now - updatedAt > STUCK_MS)
    .map(({ id, updatedAt }) =>
      need(`replay ${id} has not moved for ${span((now - updatedAt) / 1_000)}`, { text: 'See it', href: '/jobs' }),
    );
}

/** Endpoints that get nothing are their owners' to repair; that our own way out fails is ours. */
function customers({ customers: summary }: SystemView, now: number): readonly Need[] {
  if (summary === undefined || summary.as_of === null) return [];
  const next = { text: 'See the deliveries', href: '/out' };
  const { endpoints, on_hold: held, disabled, paused: stopped } = summary;
  const failing = summary.failing ?? 0;
  const alsoPaused = stopped === 0 ? '' : `, ${stopped} ${stopped === 1 ? 'is' : 'are'} paused`;
  const closed = held + disabled;
  const none = `${closed} of ${endpoints} endpoints of customers ${closed === 1 ? 'gets' : 'get'} nothing now`;
  const text =
    closed === 0
      ? `${failing} of ${endpoints} endpoints of customers ${failing === 1 ? 'fails' : 'fail'}`
      : `${none}${failing === 0 ? '' : `, ${failing} more ${failing === 1 ? 'fails' : 'fail'}`}`;
  return [
    ...(summary.egress_guard === null ? [] : [need(guardText(summary.egress_guard), next)]),
    ...(closed + failing === 0 ? [] : [need(`${text}${alsoPaused}${countedText(summary, now)}`, next, true)]),
  ];
}

const paused = ({ pauses = {} }: SystemView, now: number): readonly Need[] =>
  Object.entries(pauses).map(([source, { by, since, why }]) =>
    need(`${source} was paused ${ago(since, now)} by ${by}: ${why}`, {
      text: `Open ${source}`,
      href: `/sources/${encodeURIComponent(source)}`,
    }),
  );

/** Nothing is wrong; but who waits for a message waits for nothing. */
const muted = ({ mutes = [] }: SystemView, now: number): readonly Need[] =>
  mutes.map(mute => need(muteText(mute, now), { text: 'See the alarms', href: '/alarms' }, true));
