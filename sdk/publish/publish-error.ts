/** What `publish()` throws: refused, denied, or not answered in time. */

/**
 * Any failure of `publish()`. `attempts`: requests that were made. `mayRepeat`: the same message with the same
 * `idempotencyKey` may get another answer later; false: it needs a change first.
 * @example
 * const isWorthAnotherTry = (error: unknown) => error instanceof PublishError && error.mayRepeat;
 */
export class PublishError extends Error {
  readonly mayRepeat: boolean = false;
  readonly attempts: number;

  constructor(message: string, attempts: number, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.attempts = attempts;
  }
}

/** What the API says of a refusal (`application/problem+json`, RFC 9457). */
export interface Problem {
  /** For programs, e.g. `key_reused`; undefined when the answer is not of this API. */
  readonly error: string | undefined;
  /** For people. */
  readonly detail: string;
  /** With `invalid_request`: each field that is wrong. */
  readonly details: readonly FieldProblem[];
}

/** One field of the request that the API refuses, and what it takes. */
export interface FieldProblem {
  readonly path: string;
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/**
 * The API said no, and nothing was published: `invalid_request` (400), `unknown_application` (404), `key_reused` (409: the
 * key was used for another message), `erasing` (410), `too_large` (413), `unknown_type` or `schema_mismatch` (422). Also any
 * other answer that a repetition cannot change.
 * @example
 * const isKeyReused = (error: unknown) => error instanceof PublishRefusedError && error.problem.error === 'key_reused';
 */
export class PublishRefusedError extends PublishError {
  override readonly name = 'PublishRefusedError';
  readonly status: number;
  readonly problem: Problem;

  constructor(message: string, attempts: number, { status, problem }: { status: number; problem: Problem }) {
    super(message, attempts);
    this.status = status;
    this.problem = problem;
  }
}

/**
 * There are no credentials, or AWS refused them (401, 403): wrong or expired ones, another region, no right to the route, or
 * a clock that is more than five minutes off. Nothing was published.
 * @example
 * const isOurSetup = (error: unknown) => error instanceof PublishDeniedError;
 */
export class PublishDeniedError extends PublishError {
  override readonly name = 'PublishDeniedError';
}

/**
 * No answer counted before the deadline: lost connections, silence, 429 or 5xx. The message may have been published: publish
 * it again with the same `idempotencyKey`, and it is published once. `cause` is the last failure.
 * @example
 * const keepForLater = (error: unknown) => error instanceof PublishUnansweredError;
 */
export class PublishUnansweredError extends PublishError {
  override readonly name = 'PublishUnansweredError';
  override readonly mayRepeat = true;
}
