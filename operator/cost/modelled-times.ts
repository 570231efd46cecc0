/** Billed durations, as the latency model predicts them: `npm run bench -- f --write` writes the data. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BilledTimes } from './bill.ts';

interface ModelledTimes {
  readonly memoryGb: number;
  readonly ingestMs: number;
  /** Of one batch, by its size. */
  readonly processMs: Readonly<Record<'1' | '3' | '10', number>>;
}

export function modelledTimes(batch: 1 | 3 | 10): BilledTimes {
  const file = readFileSync(join(import.meta.dirname, 'modelled-times.json'), 'utf8');
  const { memoryGb, ingestMs, processMs } = JSON.parse(file) as ModelledTimes;
  return { memoryGb, ingestMs, processMs: processMs[batch] };
}
