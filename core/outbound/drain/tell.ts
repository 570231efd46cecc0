/** Operational events of a session: each kind once an hour and endpoint, best effort; tend tells what was lost. */
import { askOrSkip } from '#core/ask.ts';
import type { Item } from '#core/outbound/ports.ts';
import { HOUR_MS } from '#core/time.ts';
import type { Session } from './session-state.ts';

export async function tell(session: Session, type: string, data: Item = {}): Promise<void> {
  if (session.told.has(type)) return;
  session.told.add(type);
  const { ep, runtime, ports } = session;
  const at = ports.clock.now();
  const key = operationalKey(type, ep, at);
  const op = { type, key, at, data: { endpoint: ep, application: runtime.app, ...data } };
  const asker = { telemetry: ports.telemetry, stage: 'tell', fields: { endpoint: ep } };
  await askOrSkip(asker, () => ports.jobs.send([{ v: 1, op }], runtime.app));
}

/** The idempotency key of an operational event: so each kind goes once an hour. */
export function operationalKey(type: string, ep: string, now: number): string {
  return `${type}:${ep}:${Math.floor(now / HOUR_MS)}`;
}
