/** The service a rule depends on, for `DependencyError` counters and alarms. */
export type Dependency = 'dynamodb' | 'sqs' | 's3' | 'secrets' | 'http' | 'sns' | 'ses';

/**
 * A dependency did not answer in time, refused for load, or failed. `outcome` says what is known of a write:
 * `not_applied` (refused before it took effect), or `unknown` (it may or may not have been applied).
 */
export class DependencyError extends Error {
  override readonly name = 'DependencyError';
  readonly dependency: Dependency;
  readonly outcome: 'not_applied' | 'unknown';
  /** No row of the table can have the key: no retry can help. */
  readonly isBadKey: boolean;

  constructor(
    dependency: Dependency,
    message: string,
    options: { cause?: unknown; outcome?: 'not_applied' | 'unknown'; isBadKey?: boolean } = {},
  ) {
    super(`${dependency}: ${message}`, { cause: options.cause });
    this.dependency = dependency;
    this.outcome = options.outcome ?? 'unknown';
    this.isBadKey = options.isBadKey ?? false;
  }
}

/** Bytes were deflated with a dictionary that this version does not have: a newer one wrote them. */
export class UnknownDictionaryError extends Error {
  override readonly name = 'UnknownDictionaryError';

  constructor(id: number | undefined, known: readonly number[]) {
    super(
      `the body was deflated with dictionary ${id ?? 'without a number'}; this version knows ${known.join(', ')}. Deploy the version that wrote it, then replay the event`,
    );
  }
}
