/** One thing that the page can ask. */
import type { Operator } from '#operator/operator.ts';

export interface Asked {
  readonly operator: Operator;
  readonly readOnly: boolean;
  readonly program: string;
  /** The variable parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON of a POST. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborted when the page goes away. */
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** `:name` is a variable part. */
  readonly path: string;
  /** Answers an object, or a stream of lines. */
  answer(asked: Asked): Promise<object> | AsyncIterable<object>;
}
