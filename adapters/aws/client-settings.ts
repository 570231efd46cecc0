/** What every AWS client of the product is built with. Nothing here reads a file: no profile, no credential chain. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { keptConnections } from './kept-connections.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Suffix of `AWS_ENDPOINT_URL_<service>`. */
export type ServiceName =
  | 'DYNAMODB'
  | 'SQS'
  | 'S3'
  | 'SECRETS_MANAGER'
  | 'SNS'
  | 'SESV2'
  | 'EVENTBRIDGE'
  | 'LAMBDA'
  | 'SFN';

// biome-ignore lint/style/noProcessEnv: region, credentials and endpoint come from the environment, and only here.
const ENVIRONMENT: Environment = process.env;

/**
 * Two tries of at most 0.3 s to connect and 0.8 s to answer. `throwOnRequestTimeout` makes the limit real: without it
 * the SDK only logs a warning and goes on waiting. `socketTimeout` ends an answer that stops in its middle.
 */
const TIMEOUTS = {
  connectionTimeout: 300,
  requestTimeout: 800,
  throwOnRequestTimeout: true,
  socketTimeout: 800,
} as const;
const MAX_ATTEMPTS = 2;

/**
 * Without a logger of ours the SDK makes a copy of each input and output without secrets, for a logger that drops it. It
 * makes none for one that takes warnings only.
 */
const WARNINGS = { warn: (text: unknown) => process.emitWarning(String(text)) } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>;

/** Settings of a client. Throws when the environment has no region. */
export function clientSettings(service: ServiceName, env: Environment = ENVIRONMENT) {
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (region === undefined || region === '') {
    throw new Error('AWS_REGION is not set: Lambda sets it; elsewhere export it, e.g. AWS_REGION=eu-central-1');
  }
  const endpoint = env[`AWS_ENDPOINT_URL_${service}`] ?? env['AWS_ENDPOINT_URL'];
  return {
    region,
    credentials: credentialsOf(env),
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    requestHandler: { ...TIMEOUTS, ...keptConnections() },
    // The chain of a command is made once for a client, not for each call.
    cacheMiddleware: true,
    logger: WARNINGS,
    defaultsMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: 'holdfast',
    authSchemePreference: ['sigv4'],
    ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
    // The SDK would look for both in files of the home folder.
    ignoreConfiguredEndpointUrls: true,
    disableClockSkewCorrection: false,
  };
}

/** The execution role's credentials, which Lambda puts into the environment; read at each signing. */
export function credentialsOf(env: Environment) {
  return async () => {
    const accessKeyId = env['AWS_ACCESS_KEY_ID'];
    const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
    if (!accessKeyId || !secretAccessKey) {
      throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: this program reads no profile files');
    }
    const sessionToken = env['AWS_SESSION_TOKEN'];
    return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
  };
}
