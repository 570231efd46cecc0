import { type Dependency, DependencyError } from '#core/errors.ts';

interface SdkError extends Error {
  readonly $fault?: 'client' | 'server';
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
  readonly code?: string;
}

const THROTTLES = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'Throttling',
  'ThrottledException',
  'ThrottlingException',
  'TooManyRequestsException',
  'KmsThrottled',
]);

/**
 * What the SDK threw, as the error the rules know. `not_applied` is said only when it is certain: a refusal of the
 * caller's request (4xx), or a throttle on the first try. A throttle on a later try may follow one that was applied
 * and whose answer was lost.
 */
export function toDependencyError(dependency: Dependency, call: string, error: unknown): DependencyError {
  if (error instanceof DependencyError) return error;
  const { name = 'Error', message = '', $metadata = {}, code } = error as SdkError;
  const described = code === undefined || code === name ? name : `${name} (${code})`;
  return new DependencyError(dependency, `${call}: ${described}: ${message}`.slice(0, 500), {
    cause: error,
    outcome: isCertainlyNotApplied(name, $metadata) ? 'not_applied' : 'unknown',
  });
}

function isCertainlyNotApplied(name: string, metadata: NonNullable<SdkError['$metadata']>): boolean {
  const { httpStatusCode = 0, attempts = 1 } = metadata;
  if (THROTTLES.has(name)) return attempts <= 1;
  return httpStatusCode >= 400 && httpStatusCode < 500 && httpStatusCode !== 408;
}
