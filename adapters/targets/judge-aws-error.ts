/** What an AWS service's refusal means for a route. By name, because each client has classes of its own. */
import type { Delivered } from '#core/inbound/routing/targets.ts';

interface AwsError {
  readonly name?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
  readonly retryAfterSeconds?: string;
}

const THROTTLED = /Throttl|TooManyRequests|RequestLimitExceeded|ExecutionLimitExceeded|OverLimit|SlowDown/i;
/** Refused now, and perhaps taken later: a function that is being updated, credentials that have just run out. */
const PASSING =
  /ResourceConflict|ResourceNotReady|ExpiredToken|RequestExpired|RequestTimeTooSkewed|QueueDeletedRecently/i;
const DENIED =
  /AccessDenied|AuthorizationError|NotAuthorized|UnrecognizedClient|InvalidClientTokenId|SignatureDoesNotMatch|IncompleteSignature|OptInRequired/i;
const NOT_FOUND = /NotFound|NonExistentQueue|DoesNotExist|StateMachineDeleting/i;
const TOO_LARGE = /too (?:long|large)|must be shorter|over the limit|exceed|less than or equal to/i;

export function judgeAwsError(error: unknown): Exclude<Delivered, { kind: 'accepted' }> {
  const { name = 'Error', message = '', $metadata, $response, retryAfterSeconds } = error as AwsError;
  const status = $metadata?.httpStatusCode;
  const reason = `${name}: ${message}`.slice(0, 300);
  if (THROTTLED.test(name) || status === 429) {
    const seconds = Number(retryAfterSeconds ?? $response?.headers?.['retry-after'] ?? Number.NaN);
    return { kind: 'busy', reason, ...(seconds >= 0 ? { afterSeconds: seconds } : {}) };
  }
  if (status === undefined || status >= 500 || PASSING.test(name)) return { kind: 'failed', reason };
  if (status === 413 || (!DENIED.test(name) && TOO_LARGE.test(message))) return { kind: 'too_large', reason };
  if (DENIED.test(name)) return { kind: 'refused', cause: 'denied', reason };
  if (NOT_FOUND.test(name) || status === 404) return { kind: 'refused', cause: 'not_found', reason };
  return { kind: 'refused', cause: 'invalid', reason };
}
