import { UserError } from '#local/shell/user-error.ts';

/**
 * The address in AWS_ENDPOINT_URL, without a slash at its end. Throws UserError (usage) when it is no http address, or one of
 * the real AWS: what works on this machine must never reach an account.
 */
export function checkGivenEndpoint(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.hostname.includes('amazonaws.'))
    return given.replace(/(?<!\/)\/+$/, '');
  throw new UserError(
    `AWS_ENDPOINT_URL is "${given.slice(0, 120)}"\n  allowed: the http address of a local AWS\n  fix:     e.g. http://127.0.0.1:4566, or unset it; to deploy to a real account: npm run deploy -- dev`,
    2,
  );
}
