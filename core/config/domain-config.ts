/** `domain` of an environment: a host of yours for the API, without CloudFront. */
import { type Check, object, oneOf, text } from '#core/problem.ts';

export interface DomainConfig {
  /** `publicUrl` follows from it. @when always */
  readonly name: string;
  /** For that host. @when always */
  readonly certificate: string;
  /** `closed`: the API's own host answers nobody. @when each provider has the new URL @default 'open' */
  readonly defaultEndpoint?: 'open' | 'closed';
}

/** The shape of `environments.<name>.domain`. */
export const domainShape: Check = object<DomainConfig>(
  {
    name: text(
      /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/,
      'a host such as "hooks.example.com", in lower case, without https://',
      'write the host alone',
    ),
    certificate: text(
      /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/[\w-]+$/,
      'the ARN of an ACM certificate in the region of the environment',
      'copy it from the ACM console',
    ),
    defaultEndpoint: oneOf('open', 'closed'),
  },
  ['name', 'certificate'],
);
