/** Whether somebody still signs with the secret that a rotation left valid. */
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { Operator } from '#operator/operator.ts';
import { parseJson } from '#operator/parse-json.ts';

const COUNTER = 'PreviousSecretMatched';
/** A day: a provider that still has it signs with it whenever it sends. */
const LOOKED_BACK_MS = DAY_MS;
const PERIOD_MS = 5 * MINUTE_MS;

export interface PreviousUse {
  /** Requests that only the previous secret verified, since then. */
  readonly count: number;
  readonly since: EpochMs;
  /** Of the newest of them, to five minutes. Absent: none. */
  readonly lastAt?: EpochMs;
}

/** Over the last day, or since the rotation. Undefined: this gateway counts nothing. */
export async function previousUse(
  operator: Operator,
  source: SourceId,
  rotatedAt: EpochMs = 0,
): Promise<PreviousUse | undefined> {
  const gateway = await operator.gateway();
  const now = operator.clock.now();
  const since = Math.max(rotatedAt, now - LOOKED_BACK_MS);
  const points =
    (await gateway.counted?.(COUNTER, source, { from: since, to: now, periodMs: PERIOD_MS })) ??
    (await countedInLog(operator, source, since));
  if (points === undefined) return undefined;
  const used = points.filter(({ value }) => value > 0);
  const last = used.at(-1);
  const count = used.reduce((sum, { value }) => sum + value, 0);
  return { count, since, ...(last !== undefined && { lastAt: last.at }) };
}

/** The lines that carry the metric: the local AWS keeps no other. */
async function countedInLog(operator: Operator, source: SourceId, since: EpochMs) {
  const { logs } = await operator.gateway();
  const lines = await logs?.read(since, `{ $.${COUNTER} > 0 }`, 'ingest');
  return lines?.flatMap(({ at, text }) => {
    const value = text.includes(COUNTER) ? valueIn(text, source) : undefined;
    return value === undefined ? [] : [{ at, value }];
  });
}

function valueIn(text: string, source: SourceId): number | undefined {
  const line = (parseJson(text) ?? {}) as Readonly<Record<string, unknown>>;
  const value = line[COUNTER];
  return line['source'] === source && typeof value === 'number' ? value : undefined;
}
