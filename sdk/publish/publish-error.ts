/** What `publish()` throws: refused, denied, or not answered in time. */

/**
 * Any failure of `publish()`. `attempts`: how many requests were made. `mayRepeat`: whether the same message with the
 * same `idempotencyKey` may succeed later; if false, change something first.
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

/** What the API says about a refusal (`application/problem+json`, RFC 9457). */
export interface Problem {
  /** A word for programs, e.g. `key_reused`; undefined if the answer did not come from this API. */
  readonly error: string | undefined;
  /** A sentence for people. */
  readonly detail: string;
  /** With `invalid_request`: each field that is wrong. */
  readonly details: readonly FieldProblem[];
}

/** A field that the API refuses: its path, what was given, what is allowed, and how to fix it. */
export interface FieldProblem {
  readonly path: string;
  readonly given: string;
  readonly allowed: string;
  readonly fix: string;
}

/**
 * The API refused the message, and nothing was published: `invalid_request` (400), `unknown_application` (404),
 * `key_reused` (409: the key was used for another message), `erasing` (410), `too_large` (413), `unknown_type` or
 * `schema_mismatch` (422). Also any other answer that would be the same the next time.
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
 * There are no credentials, or AWS refused them (401, 403): they are wrong, expired or for another region, they give no
 * right to the route, or the clock is more than five minutes off. Nothing was published.
 * @example
 * const isOurSetup = (error: unknown) => error instanceof PublishDeniedError;
 */
export class PublishDeniedError extends PublishError {
  override readonly name = 'PublishDeniedError';
}

/**
 * No usable answer came before the deadline: the connection was lost, nothing answered, or the answers were 429 or 5xx.
 * The message may have been published. Publish it again with the same `idempotencyKey`: it is published only once.
 * `cause` is the last failure.
 * @example
 * const keepForLater = (error: unknown) => error instanceof PublishUnansweredError;
 */
export class PublishUnansweredError extends PublishError {
  override readonly name = 'PublishUnansweredError';
  override readonly mayRepeat = true;
}
