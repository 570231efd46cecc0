/** Turns whatever a command threw into words and an exit code. */
import { ConfigError } from '#core/config/resolve-config.ts';
import { CursorError } from '#core/inbound/search/list-events.ts';
import { UserError } from '#local/shell/user-error.ts';
import { type FailureKind, OperatorError } from './operator-error.ts';

const CREDENTIALS = [
  'AccessDenied',
  'AccessDeniedException',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'UnrecognizedClientException',
];

const NO_CREDENTIALS = ['CredentialsProviderError', 'TokenProviderError'];

const THROTTLED = [
  'ThrottlingException',
  'Throttling',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
];

/** Never throws. An error nobody foresaw keeps its stack in `cause`. */
export function explainError(error: unknown): OperatorError {
  const known = explainKnown(error);
  if (known) return known;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new OperatorError(text, 'failure', { cause: error });
}

/** What a person can act on, in a sentence: input, credentials, region, network. Undefined: nobody foresaw it. */
export function explainKnown(error: unknown): OperatorError | undefined {
  if (error instanceof OperatorError) return error;
  if (error instanceof ConfigError || error instanceof CursorError)
    return new OperatorError(error.message, 'usage', { cause: error });
  if (error instanceof UserError) return new OperatorError(error.message, error.exitCode === 2 ? 'usage' : 'failure');
  const chain = causesOf(error);
  const say = (text: string, kind: FailureKind = 'failure') => new OperatorError(text, kind, { cause: error });
  if (chain.some(it => NO_CREDENTIALS.includes(it.name)))
    return say('No AWS credentials: sign in (aws sso login), or choose a profile with AWS_PROFILE.', 'credentials');
  const refused = chain.find(it => CREDENTIALS.includes(it.name));
  if (refused) {
    const what = `${refused.name}: ${refused.message}`;
    const fix = 'sign in again (aws sso login), or choose another profile with AWS_PROFILE.';
    return say(`AWS refused these credentials (${what}): ${fix}`, 'credentials');
  }
  const throttled = chain.find(it => THROTTLED.includes(it.name));
  if (throttled) {
    const what = `${throttled.name}: ${throttled.message}`;
    return say(`AWS is throttling (${what}). The refused call changed nothing: wait some seconds and try again.`);
  }
  if (chain.some(it => it.message.includes('Region is missing'))) {
    const fix = 'set AWS_REGION or AWS_PROFILE, or write `region` into gateway.config.ts.';
    return say(`No AWS region: ${fix}`, 'credentials');
  }
  const unreachable = chain.find(it => UNREACHABLE.test(`${codeOf(it)} ${it.message}`) || it.name === 'TimeoutError');
  if (unreachable) return say(unreachableText(unreachable));
  const isNoAws = (it: Error): boolean =>
    '$metadata' in it && (it.name === 'NotFound' || /parse error|Deserialization error/.test(it.message));
  if (chain.some(isNoAws))
    return say(
      'Something answers, but it is not AWS: is AWS_ENDPOINT_URL right? The local AWS of npm start is found without it.',
    );
  return undefined;
}

const UNREACHABLE = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|CONNECT_TIMEOUT/;

function unreachableText(error: Error): string {
  const text = error.message || codeOf(error);
  if (/127\.0\.0\.1|::1\b|localhost/.test(text))
    return `Nothing answers on this machine (${text}): is the local AWS still running (npm start), and AWS_ENDPOINT_URL right?`;
  return `No answer over the network (${text}): is this machine online?`;
}

/** True for errors that a person can do nothing about, and whose stack helps. */
export function isUnforeseen(error: unknown): boolean {
  return explainKnown(error) === undefined && ['TypeError', 'ReferenceError'].includes((error as Error)?.name);
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
