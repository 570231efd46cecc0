/** Operational events: each kind once an hour and endpoint, best effort; of a session tend tells what was lost. */
import { type Asker, askOrSkip } from '#core/ask.ts';
import type { Item } from '#core/outbound/ports.ts';
import type { RuntimeItem } from '#core/outbound/protocol/items.ts';
import { HOUR_MS } from '#core/time.ts';
import type { Session } from './session-state.ts';

export async function tell(session: Session, type: string, data: Item = {}): Promise<void> {
  if (session.told.has(type)) return;
  session.told.add(type);
  await tellAbout(session.ports, session.runtime, type, data);
}

/** Published by fan-out. */
export async function tellAbout(
  { clock, telemetry, jobs }: Pick<Session['ports'], 'clock' | 'jobs'> & Pick<Asker, 'telemetry'>,
  { ep, app }: Pick<RuntimeItem, 'ep' | 'app'>,
  type: string,
  data: Item,
): Promise<void> {
  const at = clock.now();
  const op = { type, key: operationalKey(type, ep, at), at, data: { endpoint: ep, application: app, ...data } };
  await askOrSkip({ telemetry, stage: 'tell', fields: { endpoint: ep } }, () => jobs.send([{ v: 1, op }], app));
}

/** The idempotency key of an operational event: so each kind goes once an hour. */
export function operationalKey(type: string, ep: string, now: number): string {
  return `${type}:${ep}:${Math.floor(now / HOUR_MS)}`;
}
