/** Carries out one step of the outbound model with the real writes; each checks what the code sees at that moment. */
import { isDeepStrictEqual } from 'node:util';
import {
  closeGate,
  deleteEndpoint,
  enable,
  openPaused,
  type Replay,
  replay,
} from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { wakeAtOf } from '#core/outbound/protocol/keys.ts';
import { Divergence } from '#test/proof/conformance/expect-call.ts';
import type { Step } from '#test/proof/model/explorer/model.ts';
import { isShut, type Person, type State } from '#test/proof/model/outbound/outbound-state.ts';
import { sessionStep } from './outbound-session-step.ts';
import { APP, EP, type OutboundWorld, type RealReplayer } from './outbound-world.ts';

export function outboundStep(world: OutboundWorld, from: State, step: Step<State>): void {
  const { actor, action } = step;
  const message = Number(/ m(\d)/.exec(action)?.[1] ?? 0);
  if (action === 'notes that rows come') world.noteRows();
  else if (action === 'hours pass') world.countsFrom = world.clock.now();
  else if (actor.startsWith('drainer')) sessionStep(world, from, step);
  else if (actor === 'publish' && action.startsWith('stores')) world.publish(message);
  else if (actor === 'publish' && action.startsWith('puts')) world.fanOut(message);
  else if (actor.startsWith('fan-out') && action.startsWith('puts')) world.fanOut(message);
  else if (actor === 'replay' || action === 'asks for a replay') replayStep(world, from, step);
  else if (actor === 'person') gateStep(world, action, 'operator');
  else if (actor === 'operator' || actor === 'customer') gateStep(world, action, actor);
  else if (actor === 'tend') tendStep(world, action, message);
  else if (action.endsWith('older than the retention')) world.old.add(Number(action[1]));
}

export function demand(holds: boolean, what: string): void {
  if (!holds) throw new Divergence(what);
}

/** What tend sees when it repairs. */
function tendStep(world: OutboundWorld, action: string, message: number): void {
  const now = world.clock.now();
  const wakeAt = wakeAtOf(world.runtimeItem());
  if (action.startsWith('reconcile')) {
    const rows = world.allRows().some(row => world.pointerOf(row).message === message);
    demand(!rows && !world.recordItem(message), 'reconcile should find neither row nor record');
  } else if (action.startsWith('sweeper')) demand(wakeAt !== undefined && wakeAt <= now, 'the sweeper finds no wakeAt');
  else if (action.startsWith('audit finds an old')) demand(world.overRows().length > 0, 'the audit finds no old row');
  else if (action.startsWith('audit') || action.startsWith('a look by notes')) {
    const unwoken = world.nextDue() !== undefined && wakeAt === undefined;
    demand(world.dueRows().length > 0 || unwoken, 'the audit finds no row');
    if (action.startsWith('audit')) return;
    demand(world.isLookedAt(), 'the endpoint is not looked at');
    world.noteRows();
  }
}

/** W12, W13, W15, W16: what a person may do to the gate is never refused where the model allows it. */
function gateStep(world: OutboundWorld, action: string, by: Person): void {
  const now = world.clock.now();
  const act = { by, why: 'walk', now } as const;
  if (action === 'pauses') demandApplied(world.apply(closeGate(EP, 'paused', act)).kind, action);
  else if (action === 'disables by hand') demandApplied(world.apply(closeGate(EP, 'disabled', act)).kind, action);
  else if (action === 'resumes') demandApplied(world.apply(openPaused(EP, act)).kind, action);
  else if (action.startsWith('enables')) {
    const dropBefore = action.includes('drops') ? now : undefined;
    demandApplied(world.apply(enable(EP, act, dropBefore)).kind, action);
  } else if (action.startsWith('deletes')) {
    const endpoint = {
      id: EP,
      app: APP,
      version: 1,
      createdAt: now,
      mode: 'live',
    } as Partial<EndpointItem> as EndpointItem;
    demandApplied(world.transact(deleteEndpoint(endpoint, { ...act, expiresAt: 0 })), action);
  }
  const { gate, gateBy } = world.runtimeItem();
  if (isShut(gate) && gateBy === 'operator') refusesTheCustomer(world);
}

/** What an operator closed: none of these is written. */
function refusesTheCustomer(world: OutboundWorld): void {
  const act = { by: 'customer', why: 'walk', now: world.clock.now() } as const;
  const writes = [closeGate(EP, 'paused', act), closeGate(EP, 'disabled', act), openPaused(EP, act), enable(EP, act)];
  for (const write of writes) {
    demand(world.apply(write).kind === 'refused', 'a customer changed a gate that an operator closed');
  }
}

function demandApplied(kind: 'applied' | 'refused', action: string): void {
  demand(kind === 'applied', `${action}: the write was ${kind}`);
}

/** W17. Who acts is who is gone from the model's people, or changed. */
function replayStep(world: OutboundWorld, from: State, { action, to }: Step<State>): void {
  const read = world.recordItem(0);
  if (action === 'asks for a replay') {
    if (!read) throw new Divergence('there is no record to replay');
    world.replayers.push({ step: 'write', gen: read.gen, id: world.id('replay'), read });
    return;
  }
  const before = from.people.filter(it => it !== undefined);
  const after = to.people.filter(it => it !== undefined);
  const acting =
    before.find(it => count(before, it) > count(after, it)) ??
    before.find(it => action.includes('asked') && it.step === 'wakeUp');
  const person = world.replayers.find(it => it.step === acting?.step && it.gen === acting.gen);
  if (!person) throw new Divergence(`nobody is about to do this: ${action}`);
  if (action === 'record and row') {
    demandApplied(writeReplay(world, person), action);
    person.step = 'wakeUp';
    return;
  }
  if (action.startsWith('refused'))
    demand(writeReplay(world, person) === 'refused', 'a replay of an old read was written');
  if (action.includes('asked again')) {
    // The same request reads the record again. Its note is there, so the transaction is refused whoever replayed since.
    const again = writeReplay(world, { ...person, read: read ?? person.read });
    demand(again === 'refused', 'a repeated request replayed twice');
  } else world.replayers.splice(world.replayers.indexOf(person), 1);
}

function count<T>(list: readonly T[], value: T): number {
  return list.filter(it => isDeepStrictEqual(it, value)).length;
}

function writeReplay(world: OutboundWorld, person: RealReplayer): 'applied' | 'refused' {
  const request: Replay = { replayId: person.id, by: 'walk', now: world.clock.now(), alsoRetrying: true };
  return world.transact(replay(world.delivery(0, person.gen), person.read, request, 0));
}
