/** `edge` of an environment: CloudFront before the front door, and a limit per source address. Absent: nothing of it. */
import { type Check, number, object, oneOf, text } from '#core/problem.ts';

export interface EdgeConfig {
  /** It never changes while the environment is there. @when always */
  readonly apiUrl: string;
  /** Of one address; more get 429. Providers send from few addresses: leave room. @when always */
  readonly requestsPerMinute: number;
  /** For the host of `publicUrl`. @when `publicUrl` is a host of yours @default none: CloudFront's own host */
  readonly certificate?: string;
  /**
   * Requests past CloudFront. `refused`: they get 403, also genuine ones to the old URL. @when each provider has the
   * new URL @default 'accepted'
   */
  readonly direct?: 'accepted' | 'refused';
}

export const edgeShape: Check = object<EdgeConfig>(
  {
    apiUrl: text(
      /^https:\/\/[a-z0-9]+\.execute-api\.[a-z0-9-]+\.amazonaws\.com$/,
      'the ApiUrl that the deploy prints, "https://<id>.execute-api.<region>.amazonaws.com"',
      'deploy without edge first, and copy it',
    ),
    requestsPerMinute: number(10, 20_000_000, 'requests'),
    certificate: text(
      /^arn:aws:acm:us-east-1:\d{12}:certificate\/[\w-]+$/,
      'the ARN of an ACM certificate in us-east-1, the only region that CloudFront takes them from',
      'request it in us-east-1',
    ),
    direct: oneOf('accepted', 'refused'),
  },
  ['apiUrl', 'requestsPerMinute'],
);

/** Where CloudFront takes web ACLs and certificates from. */
export const EDGE_REGION = 'us-east-1';
