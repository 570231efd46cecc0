/**
 * Throttled answers in a row, as people see them: the first one is kept as an attempt, and those after it are a number,
 * which is written once, when the endpoint has answered in another way. Best effort, as the log of attempts is.
 */
import { askOrSkip } from '#core/ask.ts';
import { attemptKey } from '#core/outbound/protocol/keys.ts';
import type { Sending } from './sending.ts';
import { persist, type Session } from './session-state.ts';

/** After a throttled answer. True: it is the first one in a row. */
export function noteThrottled(session: Session, { delivery, n }: Sending, at: number): boolean {
  const { health } = session;
  const { throttled: run } = health;
  const { msg, gen } = delivery;
  const next = run === undefined ? { msg, gen, n, at, further: 0 } : { ...run, further: run.further + 1 };
  session.health = { ...health, throttled: next };
  return run === undefined;
}

/** After another answer: the row of them is over. */
export async function endThrottled(session: Session): Promise<void> {
  const { ports, ep, health } = session;
  const { throttled: run } = health;
  if (run === undefined) return;
  session.health = { ...health, throttled: undefined };
  if (run.further === 0) return;
  const key = attemptKey(ep, run.msg, run.gen, run.n, run.at);
  const asker = { telemetry: ports.telemetry, stage: 'attempt_record', fields: { endpoint: ep } };
  await askOrSkip(asker, async () => {
    const kept = await persist(session, () => ports.store.get(key, 'consistent'));
    if (kept === undefined) return;
    const { pk: _, sk: __, ...item } = kept as typeof kept & { pk?: string; sk?: string };
    await ports.store.put({ kind: 'put', key, item: { ...item, further: run.further } });
  });
}
