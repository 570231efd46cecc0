/**
 * Bundled into the functions in place of the whole package `@aws-sdk/credential-provider-node` (docs/decisions/the-aws-sdk-is-the-one-client.md), whose
 * chain looks for a profile, a web identity, a container, an instance. Lambda gives its functions credentials in the environment.
 */
import { credentialsOf } from './client-settings.ts';

/** What each client of the SDK asks for credentials when it is given none, such as one that a handler of yours makes. */
export function defaultProvider(): ReturnType<typeof credentialsOf> {
  // biome-ignore lint/style/noProcessEnv: the place of the SDK's own chain, which begins there.
  return credentialsOf(process.env);
}
