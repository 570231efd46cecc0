/** What people may do to an endpoint's gate: one conditional write each, and a wake-up where something may be due. */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemResult, ItemStore, ItemUpdate, WakeQueue } from '#core/outbound/ports.ts';
import { closeGate, enable, type GateAct, openPaused, tryNow } from '#core/outbound/protocol/delivery-writes.ts';
import type { EndpointId } from '#core/outbound/protocol/ids.ts';
import type { Gate, RuntimeItem } from '#core/outbound/protocol/items.ts';

export interface GatePorts {
  readonly store: Pick<ItemStore, 'update'>;
  /** wake-fast. */
  readonly wake: WakeQueue;
}
/** `refused`: the gate is in another state, or an operator closed it (`runtime` says which); undefined: no such endpoint. */
export type GateResult =
  | { readonly kind: 'done'; readonly runtime: RuntimeItem }
  | { readonly kind: 'refused'; readonly runtime: RuntimeItem | undefined };

/** No request begins later than 2 s after; rows pile up. */
export const pause = (ports: GatePorts, ep: EndpointId, act: GateAct): Promise<GateResult> =>
  change(ports, closeGate(ep, 'paused', act), 'paused');

/** As pause, and it also stops test deliveries. */
export const disable = (ports: GatePorts, ep: EndpointId, act: GateAct): Promise<GateResult> =>
  change(ports, closeGate(ep, 'disabled', act), 'disabled');

/** Opens what was paused; what waited goes out in the ramp. An open endpoint is left alone. */
export const resume = (ports: GatePorts, ep: EndpointId, act: GateAct): Promise<GateResult> =>
  change(ports, openPaused(ep, act), 'open', ep);

/** What becomes of the backlog: all of it is sent, none, or what was created since. */
export type Backlog =
  | { readonly kind: 'drain' }
  | { readonly kind: 'drop' }
  | { readonly kind: 'since'; readonly since: EpochMs };
/**
 * Opens what was disabled: the first request is a trial request. Dropped deliveries are recorded as `dropped`. Of one that
 * somebody opened with another backlog none is dropped: that is refused.
 */
export async function enableEndpoint(
  ports: GatePorts,
  ep: EndpointId,
  act: GateAct,
  backlog: Backlog,
): Promise<GateResult> {
  const dropBefore = backlog.kind === 'drain' ? undefined : backlog.kind === 'drop' ? act.now : backlog.since;
  const result = await change(ports, enable(ep, act, dropBefore), 'open', ep);
  if (result.kind === 'refused' || backlog.kind === 'drain') return result;
  const { runtime } = result;
  const isDropped = runtime.dropBefore === (backlog.kind === 'drop' ? runtime.gateSince : backlog.since);
  return isDropped ? result : { kind: 'refused', runtime };
}

/** Looks now, whatever the hold says. */
export const tryEndpoint = (ports: GatePorts, ep: EndpointId, now: EpochMs): Promise<GateResult> =>
  change(ports, tryNow(ep, now), undefined, ep);

/** A repeated act finds the gate as it wants it: that is done, too. */
async function change(
  { store, wake }: GatePorts,
  write: ItemUpdate<RuntimeItem>,
  wanted: Gate | undefined,
  toWake?: EndpointId,
): Promise<GateResult> {
  const result: ItemResult<RuntimeItem> = await store.update(write);
  if (result.kind === 'refused' && (wanted === undefined || result.item?.gate !== wanted)) {
    // An update never makes an item here: every condition asks for a gate.
    return { kind: 'refused', runtime: result.item };
  }
  if (toWake !== undefined) await wake.send([{ v: 1, ep: toWake }]);
  return { kind: 'done', runtime: result.item as RuntimeItem };
}
