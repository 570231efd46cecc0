/** A way of the matrix: one function makes its calls, one of which fails; then things go on, and the books are read. */
import type { Receiver } from '../receiver.ts';
import type { Stage } from '../stage.ts';

/** What the books say after a run. */
export interface Judged {
  /** No call was spoiled: then nothing may come twice, whatever the contract allows. */
  readonly calm: boolean;
  readonly receiver: Receiver;
}

export interface Journey {
  readonly name: string;
  /** Whose calls fail. */
  readonly function: string;
  readonly stage: Stage['name'];
  /** In the words of test/RESULTS.md. */
  readonly judged: string;
  /** Of its calls, those that fail here. @default all; the others fail in another journey of the same function */
  readonly only?: RegExp;
  prepare(stage: Stage, id: string): Promise<void>;
  /** The invocation whose calls fail. Its process may die in it. */
  act(stage: Stage, id: string): Promise<void>;
  /** Goes on without faults, and answers what is wrong. Empty: nothing lost, nothing doubled. */
  check(stage: Stage, id: string, judged: Judged): Promise<readonly string[]>;
}

export const nothing = async (): Promise<void> => {};
