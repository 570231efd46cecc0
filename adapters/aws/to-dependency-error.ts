import { type Dependency, DependencyError } from '#core/errors.ts';

interface SdkError extends Error {
  readonly $fault?: 'client' | 'server';
  readonly $metadata?: { readonly attempts?: number };
  readonly code?: string;
  /** DynamoDB says which limit a throttled call met, and of what: both names, by the kind of the error. */
  readonly throttlingReasons?: readonly ThrottlingReason[];
  readonly ThrottlingReasons?: readonly ThrottlingReason[];
}
interface ThrottlingReason {
  /** e.g. `IndexWriteKeyRangeThroughputExceeded` */
  readonly reason?: string;
  /** ARN of the table or the index. */
  readonly resource?: string;
}

/**
 * What the SDK threw, as the error the rules know. `not_applied` is said only when it is certain: the service's own
 * refusal (read whole: `$fault` is set when its answer was understood) of a first try, or a refusal of the request's
 * form, which every try would get. Any other refusal of a second try may follow a first one that was applied and
 * whose answer was lost.
 */
export function toDependencyError(dependency: Dependency, call: string, error: unknown): DependencyError {
  if (error instanceof DependencyError) return error;
  const {
    name = 'Error',
    message = '',
    $fault,
    $metadata,
    code,
    throttlingReasons,
    ThrottlingReasons,
  } = error as SdkError;
  const [first] = throttlingReasons ?? ThrottlingReasons ?? [];
  const detail = first?.reason ? `${first.reason} of ${first.resource?.replace(/^.*:table\//, '')}` : code;
  const described = detail === undefined || detail === name ? name : `${name} (${detail})`;
  const isFirstTry = ($metadata?.attempts ?? 1) <= 1;
  const isNotApplied = $fault === 'client' && (isFirstTry || name === 'ValidationException');
  return new DependencyError(dependency, `${call}: ${described}: ${message}`.slice(0, 500), {
    cause: error,
    outcome: isNotApplied ? 'not_applied' : 'unknown',
    isBadKey: name === 'ValidationException' && isAboutKey(message),
  });
}

/** DynamoDB refuses a missing, empty, long or wrong key in words only; each of its texts names the key. */
export function isAboutKey(message: string | undefined): boolean {
  return /\b(hash)?keys?\b/i.test(message ?? '');
}

/** Makes a call; whatever the SDK throws becomes a `DependencyError` that names it. */
export async function sent<T>(dependency: Dependency, call: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    throw toDependencyError(dependency, call, error);
  }
}
