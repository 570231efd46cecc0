/** Custom metrics as CloudWatch bills them: each name with each set of dimension values is one, in hours in which it comes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, 'counted-streams.json');

/**
 * What comes with events that go well, beside what an idle environment publishes: counted in a run
 * (test/bench/metric-streams.ts).
 */
export interface CountedStreams extends Streams {
  /** What comes beside that with events that do not go well. Of one cause; each other cause of death is one more. */
  readonly trouble: Readonly<Record<'duplicates' | 'retries' | 'dead', Streams>>;
}

interface Streams {
  readonly perEnvironment: number;
  readonly perSource: number;
}

export function countedStreams(): CountedStreams {
  return JSON.parse(readFileSync(FILE, 'utf8')) as CountedStreams;
}
