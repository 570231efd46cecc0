/** The simulated team's handlers: they do what the event's own plan says and tell the ledger what they saw and did. */
import { createHash } from 'node:crypto';
import { DependencyError } from '#core/errors.ts';
import { eventIdToPk } from '#core/glossary.ts';
import {
  defer,
  defineHandlers,
  done,
  type Handler,
  type HandlerContext,
  type HandlerRegistry,
  type Outcome,
  PermanentError,
  reject,
  retryAfter,
  stale,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';
import { type EventKind, type Family, familyOf, type HandlerPlan, typeOf } from './event-kinds.ts';
import type { Ledger } from './ledger.ts';

export const EFFECTS = 'effects';
/** Mistakes of handlers that the team has fixed by the time it replays what died of them. */
const FIXED: ReadonlySet<EventKind> = new Set(['waits', 'poison', 'permanent', 'refused', 'speechless']);
/** Of these the first delivery runs without a claim: all they do is in their transaction. */
const UNCLAIMED: readonly EventKind[] = ['plain', 'slow', 'fails', 'verbose', 'declares', 'outdated', 'kills', 'later'];

export interface HandlerWorld {
  readonly ledger: Ledger;
  readonly now: () => number;
  /** The service the handlers of a source depend on is down. */
  readonly downstreamDown: (source: string) => boolean;
  readonly killed: () => void;
  readonly deferrals: Map<string, number>;
}

/** One registry per process, so that a handler can kill the process it runs in. */
export function handlersOf(
  sources: readonly string[],
  process: SimulatedProcess,
  world: HandlerWorld,
): HandlerRegistry {
  const handlerOf =
    (family: Family): Handler =>
    async (event, context) =>
      run(event, context, family, process, world);
  const registrationsOf = (source: string) =>
    FAMILIES.flatMap(family => {
      const common = { source, name: source, handle: handlerOf(family) };
      const unclaimed = UNCLAIMED.map(kind => ({ ...common, type: `${family}.${kind}`, onlyTransacts: true }));
      return [{ ...common, type: `${family}.*` }, ...unclaimed];
    });
  return defineHandlers(sources.flatMap(registrationsOf));
}

const FAMILIES: readonly Family[] = ['order', 'again'];

interface Body {
  readonly plan: HandlerPlan;
  readonly variant?: number;
  touched?: boolean;
}

async function run(
  event: WebhookEvent,
  context: HandlerContext,
  family: Family,
  process: SimulatedProcess,
  world: HandlerWorld,
): Promise<Outcome> {
  const pk = eventIdToPk(event.id) ?? '';
  const { ledger } = world;
  const { attempt, generation: gen } = context;
  const bodySha = createHash('sha256').update(event.bytes).digest('hex');
  const body = event.payload as Body;
  const ofItsType = event.type === typeOf(body.plan.kind, body.variant) && family === familyOf(body.variant ?? 0);
  ledger.handlerRan({ pk, gen, attempt, bodySha, ofItsType });
  const { kind, times, ms } = body.plan;
  const early = attempt <= times;
  const commit = (): Outcome => {
    const set = { gen, attempt };
    context.transact([{ kind: 'update', table: EFFECTS, key: { id: pk }, set, add: { times: 1 } }]);
    return done({ actionTaken: kind });
  };
  if (world.downstreamDown(event.source)) throw new Error('downstream is unreachable');
  if (gen > 1 && FIXED.has(kind)) return commit();
  switch (kind) {
    case 'commits':
      return commit();
    case 'plain':
      return done();
    case 'calls':
      await process.timer.sleep(5);
      ledger.calledOutside({ pk, gen, key: context.idempotencyKey });
      return commit();
    case 'verbose':
      commit();
      return done({ data: { pk, text: 'x'.repeat(times * 15_000) } });
    case 'slow':
      await process.timer.sleep(ms);
      return commit();
    case 'overtime':
      if (early) await process.timer.sleep(40 * SECOND_MS);
      ledger.calledOutside({ pk, gen, key: context.idempotencyKey });
      return commit();
    case 'fails':
      if (early) throw new Error(`attempt ${attempt} of ${times} fails`);
      return commit();
    case 'spoils':
      body.touched = true;
      event.bytes.fill(0);
      if (early) throw 'a text, not an Error';
      return commit();
    case 'depends':
      if (early) throw new DependencyError('http', 'the handler could not reach its service');
      return commit();
    case 'later':
      return early ? retryAfter(30 + (ms % 3_600), 'asked to come back') : commit();
    case 'defers':
      // A deferred attempt is given back: the handler has to count for itself.
      world.deferrals.set(pk, (world.deferrals.get(pk) ?? 0) + 1);
      return (world.deferrals.get(pk) ?? 0) > times
        ? commit()
        : defer(world.now() + 40 * ms, 'waits for another event');
    case 'waits':
      return defer(world.now() + 6 * 60 * MINUTE_MS, 'the other event never comes');
    case 'kills':
      if (early) return die(process, world);
      return commit();
    case 'poison':
      return die(process, world);
    case 'permanent':
      throw new PermanentError('this can never work');
    case 'refused':
    case 'declares': {
      const condition = { attribute: 'never', op: 'exists' } as const;
      context.transact([{ kind: 'check', table: EFFECTS, key: { id: pk }, condition }], {
        ...(kind === 'declares' ? { onRefused: reject('the write did not apply') } : {}),
      });
      return done();
    }
    case 'rejects':
      return reject('not for us');
    case 'outdated':
      return stale('a newer one was applied');
    case 'speechless':
      return undefined as unknown as Outcome;
    case 'unheard':
      throw new Error('an event no handler is registered for reached a handler');
  }
}

async function die(process: SimulatedProcess, world: HandlerWorld): Promise<never> {
  world.killed();
  process.kill();
  return new Promise<never>(() => {});
}
