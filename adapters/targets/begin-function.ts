/** Begins a function and does not wait for its end. The client is read with the first call: most starts make none. */
import { endCalls } from '../aws/end-calls.ts';

const LIMIT_MS = 3_000;

/** Throws where Lambda does not take the call. */
export async function beginFunction(name: string): Promise<void> {
  const { createFunctionTarget } = await import('./function-target.ts');
  const begun = await createFunctionTarget(endCalls).send(name, { text: '{}' }, AbortSignal.timeout(LIMIT_MS));
  if (begun.kind !== 'accepted') throw new Error(`${name} was not begun: ${begun.reason}`);
}
