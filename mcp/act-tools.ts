/** What an agent may do where a person allowed it: each act with a dry run before it, a reason that is kept, and a limit. */

import { given } from '#core/given.ts';
import { splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { listOf, number, text } from '#core/problem.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { SECOND_MS, toIso } from '#core/time.ts';
import { stateWord } from '#core/words.ts';
import { healthOf, setGate } from '#operator/customers/deliveries.ts';
import { findEach } from '#operator/events/find-one.ts';
import { pause, pausesOf } from '#operator/events/pauses.ts';
import { meantForReplay, noteInJobs, type ReplayOutcome, replayNow } from '#operator/events/replay.ts';
import type { Operator } from '#operator/operator.ts';
import { readReason } from '#operator/reason.ts';
import type { Confirmations, Plan } from './confirmations.ts';
import { FILTER_ARGUMENTS, type FilterArguments, meantBy } from './look-tools.ts';
import { handle, type Outside, outside } from './outside.ts';
import { ArgumentError, anyId, anyText, argument, type Tool, tool, wrong } from './tool.ts';

export const REASON = argument(
  text(/^[^\p{Cc}]{1,300}$/u, 'a text of 1 to 300 characters on one line', 'give one that the next person understands'),
  'why; it is kept, and the next person reads it',
);
export const CONFIRM = argument(anyText, 'of the dry run; without it this call is the dry run');

/** As it is recorded: that no person wrote it is seen in it. Throws ArgumentError. */
export function recordedReason(given: string): string {
  const reason = readReason(outside(given).untrusted);
  if (reason !== undefined) return `agent: ${reason}`;
  throw wrong('why', given, 'a text that the next person understands', 'say what was repaired');
}

export interface Acting {
  readonly confirmations: Confirmations;
  /** Events or deliveries that one call may touch. */
  readonly limit: number;
}

interface Act {
  readonly why: string;
  readonly confirm?: string;
}

interface ReplayArguments extends FilterArguments, Act {
  readonly ids?: readonly string[];
  readonly limit?: number;
}

export const replayTool = (operator: Operator, { confirmations, limit: most }: Acting): Tool =>
  tool<ReplayArguments>({
    name: 'replay',
    about: `Run events again: those of ids, or those of a filter, at most ${most} in a call. The first call is a dry run. Without status only dead letters.`,
    args: {
      ids: argument(listOf(anyText), "our ids (evt_…) or the provider's; without a filter"),
      ...FILTER_ARGUMENTS,
      limit: argument(number(1, most, 'events'), 'of a filter: only the oldest so many'),
      why: REASON,
      confirm: CONFIRM,
    },
    required: ['why'],
    acts: true,
    run: (args, signal) => confirmations.run('replay', args, signal, () => planReplay(operator, most, args)),
  });

async function planReplay(operator: Operator, most: number, args: ReplayArguments): Promise<Plan> {
  const why = recordedReason(args.why);
  const items = await meantItems(operator, most, args);
  const would = { replay: items.length, kinds: kindsOf(items), first: items.slice(0, 10).map(idOf) };
  if (items.length === 0) return { would };
  return { would, act: signal => replayAll(operator, items, why, signal) };
}

async function meantItems(operator: Operator, most: number, args: ReplayArguments): Promise<readonly EventItem[]> {
  const { ids, limit, why: _why, confirm: _confirm, ...written } = args;
  const filters = Object.keys(written).length;
  if ((ids === undefined) === (filters === 0))
    throw wrong('ids', ids === undefined ? 'nothing' : 'ids and a filter', 'ids, or a filter', 'give one of them');
  if (ids !== undefined) {
    if (ids.length === 0 || ids.length > most)
      throw wrong('ids', `${ids.length} ids`, `1 to ${most}`, 'replay them in several calls');
    return findEach(operator, ids, undefined);
  }
  const asOf = operator.clock.now();
  const filter = meantBy(operator, { status: 'dead_letter', ...written }, asOf);
  const items = await meantForReplay(operator, { filter, asOf, limit: limit ?? most + 1 });
  if (items.length <= most) return items;
  const fix = `say less, or add limit: ${most} for the oldest, and call again for the others`;
  throw wrong('limit', 'a filter that means more', `at most ${most} events in a call`, fix);
}

interface Kind {
  readonly source: string;
  readonly type: Outside;
  readonly status: string;
  readonly count: number;
}

function kindsOf(items: readonly EventItem[]): readonly Kind[] {
  const kinds = new Map<string, Kind>();
  for (const { pk, eventType, status } of items) {
    const source = splitEventPk(pk).sourceId;
    const key = JSON.stringify([source, eventType, status]);
    const count = (kinds.get(key)?.count ?? 0) + 1;
    kinds.set(key, { source, type: outside(eventType), status, count });
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count).slice(0, 20);
}

const idOf = ({ pk }: Pick<EventItem, 'pk'>): Outside => handle(toEventId(pk));

const AT_ONCE = 10;

/** Each as the dry run read it: one that changed since is left alone, which its own write decides. */
async function replayAll(operator: Operator, items: readonly EventItem[], why: string, signal: AbortSignal) {
  const { timer } = await operator.gateway();
  const pauseMs = (AT_ONCE * SECOND_MS) / operator.deployment.config.replaysPerSecond;
  const begunAt = operator.clock.now();
  const done: ReplayOutcome[] = [];
  const left: { readonly id: Outside; readonly outcome: ReplayOutcome | 'not_reached' }[] = [];
  const replayOne = async (item: EventItem): Promise<void> => {
    const request = { face: 'mcp', why, newKey: false, force: false };
    const outcome = signal.aborted ? 'not_reached' : await replayNow(operator, item, request);
    if (outcome !== 'not_reached') done.push(outcome);
    if (outcome !== 'replayed' && outcome !== 'already_replayed') left.push({ id: idOf(item), outcome });
  };
  let job: string | undefined;
  try {
    for (const [at, some] of groupsOf(items, AT_ONCE).entries()) {
      if (at > 0) await timer.sleep(pauseMs);
      const ended = await Promise.allSettled(some.map(replayOne));
      const failed = ended.find(each => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  } finally {
    // What was replayed before a failure is in the list of jobs, too.
    job = await noteInJobs(operator, items, { begunAt, outcomes: done, why });
  }
  return { replayed: items.length - left.length, not_replayed: left, ...given({ job }) };
}

interface PauseArguments extends Act {
  readonly source?: string;
  readonly app?: string;
  readonly endpoint?: string;
}

export const pauseTool = (operator: Operator, { confirmations }: Acting): Tool =>
  tool<PauseArguments>({
    name: 'pause',
    about:
      'Hold back one source (its events are still accepted, and wait), or one endpoint of a customer. Nothing is lost. A person ends it. The first call is a dry run.',
    args: {
      source: argument(anyText, 'its name'),
      app: argument(anyId, 'of an endpoint its application: id, or uid:<uid>'),
      endpoint: argument(anyId, 'id, or uid:<uid>'),
      why: REASON,
      confirm: CONFIRM,
    },
    required: ['why'],
    acts: true,
    run: (args, signal) => confirmations.run('pause', args, signal, () => planPause(operator, args)),
  });

async function planPause(operator: Operator, args: PauseArguments): Promise<Plan> {
  const { source, app, endpoint } = args;
  const why = recordedReason(args.why);
  if (source !== undefined && app === undefined && endpoint === undefined) return planSource(operator, source, why);
  if (source !== undefined || app === undefined || endpoint === undefined)
    throw wrong('source', 'not one of them', 'source, or app and endpoint', 'give one of them');
  return planEndpoint(operator, { app, ep: endpoint }, why);
}

async function planSource(operator: Operator, name: string, why: string): Promise<Plan> {
  const source = operator.source(name);
  const { [source.id]: note } = await pausesOf(operator);
  if (note !== undefined) return { would: { pause: source.id, paused_already_since: toIso(note.since) } };
  const resume = operator.command(`resume ${source.id}`);
  return {
    would: { pause: source.id, ends_with: resume },
    act: async () => {
      const { kind, note: held } = await pause(operator, source, why);
      return {
        source: source.id,
        paused: true,
        by_this_call: kind === 'paused',
        since: toIso(held.since),
        ends_with: resume,
      };
    },
  };
}

async function planEndpoint(operator: Operator, place: { app: string; ep: string }, why: string): Promise<Plan> {
  const { state, gate, waiting } = await healthOf(operator, place.app, place.ep);
  const would = { pause_endpoint: outside(place.ep), state, in_words: stateWord(state), waiting };
  if (gate !== 'open') return { would };
  const resume = operator.command(`out resume ${place.app} ${place.ep}`);
  return {
    would: { ...would, ends_with: outside(resume) },
    act: async () => {
      const now = await healthOf(operator, place.app, place.ep);
      if (now.gate !== gate) throw new ArgumentError(CHANGED);
      const { gate: to, state: then } = await setGate(operator, place, 'pause', { why });
      return { gate: to, state: then, ends_with: outside(resume) };
    },
  };
}

const CHANGED = {
  path: 'endpoint',
  given: 'an endpoint that somebody else changed since the dry run',
  allowed: 'what the dry run found',
  fix: 'call without confirm for a new dry run',
};
