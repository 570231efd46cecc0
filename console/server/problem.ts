import type { OperatorError } from '#operator/operator-error.ts';
import type { Problem } from '../wire.ts';

/** What went wrong in one sentence, and what to do where the error says so. */
export function problemOf({ message }: Pick<OperatorError, 'message'>): Problem {
  const [problem = '', ...rest] = message.slice(0, 2_000).split('\n');
  const fix = rest.map(line => line.trim()).join('\n');
  return { problem, ...(fix === '' ? {} : { fix }) };
}
