/** Turns whatever a command threw into words and an exit code. */
import { ConfigError } from '#core/config/resolve-config.ts';
import { CursorError } from '#core/inbound/search/list-events.ts';
import { UserError } from '#local/user-error.ts';
import { OperatorError } from './operator-error.ts';

const CREDENTIALS = [
  'AccessDenied',
  'AccessDeniedException',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'TokenProviderError',
  'UnrecognizedClientException',
];

const THROTTLED = [
  'ThrottlingException',
  'Throttling',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
];

/** Never throws. An error nobody foresaw keeps its stack in `cause`. */
export function explainError(error: unknown): OperatorError {
  if (error instanceof OperatorError) return error;
  if (error instanceof ConfigError || error instanceof CursorError)
    return new OperatorError(error.message, 'usage', { cause: error });
  if (error instanceof UserError) return new OperatorError(error.message, error.exitCode === 2 ? 'usage' : 'failure');
  const chain = causesOf(error);
  const refused = chain.find(it => CREDENTIALS.includes(it.name));
  if (refused) {
    const text = `AWS refused: ${refused.name}: ${refused.message}\nSign in (aws sso login), or choose another profile: AWS_PROFILE=… holdfast …`;
    return new OperatorError(text, 'credentials', { cause: error });
  }
  const throttled = chain.find(it => THROTTLED.includes(it.name));
  if (throttled) {
    const text = `AWS is throttling: ${throttled.name}: ${throttled.message}\nWait a few seconds and try again; nothing was changed by what was refused`;
    return new OperatorError(text, 'failure', { cause: error });
  }
  if (chain.some(it => it.message.includes('Region is missing'))) {
    return new OperatorError('No AWS region: set AWS_REGION, or a region in the profile', 'credentials', {
      cause: error,
    });
  }
  const unreachable = chain.find(it =>
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT/.test(`${codeOf(it)} ${it.message}`),
  );
  if (unreachable) {
    const text = `Nothing answers: ${unreachable.message || codeOf(unreachable)}\nIs the local AWS still running (npm start)? Is AWS_ENDPOINT_URL right?`;
    return new OperatorError(text, 'failure', { cause: error });
  }
  if (
    chain.some(
      it => '$metadata' in it && (it.name === 'NotFound' || /parse error|Deserialization error/.test(it.message)),
    )
  ) {
    const text =
      'Something answers, but it is no AWS\nIs AWS_ENDPOINT_URL right? The local AWS of npm start is found without it';
    return new OperatorError(text, 'failure', { cause: error });
  }
  const [first] = chain;
  return new OperatorError(first ? `${first.name}: ${first.message}` : String(error), 'failure', { cause: error });
}

/** True for errors that a person can do nothing about, and whose stack helps. */
export function isUnforeseen(error: unknown): boolean {
  return !(error instanceof OperatorError) && ['TypeError', 'ReferenceError'].includes((error as Error)?.name);
}

function codeOf(error: Error): string {
  return String((error as NodeJS.ErrnoException).code ?? '');
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let it = error; it instanceof Error && chain.length < 8; it = it.cause) {
    chain.push(it);
    if (it instanceof AggregateError) chain.push(...it.errors.filter(each => each instanceof Error));
  }
  return chain;
}
