/** `edge` of an environment: CloudFront before the front door, and a limit per source address. Absent: nothing of it. */
import { EDGE_SECRET } from '#core/glossary.ts';
import { type Check, number, object, oneOf, type Report, text } from '#core/problem.ts';
import { type Deployment, secretName } from './deployment.ts';

export interface EdgeConfig {
  /** What the deploy prints as `ApiUrl`: it stays the same for as long as the environment is there. */
  readonly apiUrl: string;
  /**
   * Requests that one address may send in a minute, 10 to 20,000,000; more get 429 until they are fewer. Providers deliver
   * from few addresses: leave room for all that they send you at once.
   */
  readonly requestsPerMinute: number;
  /** ARN of an ACM certificate in us-east-1 for the host of `publicUrl`. @default none: CloudFront's own host */
  readonly certificate?: string;
  /**
   * Requests that do not come through CloudFront. Refuse them (403) once each provider has the new URL: until then they
   * are genuine deliveries to the old one. @default 'accepted'
   */
  readonly direct?: 'accepted' | 'refused';
}

export const edgeShape: Check = object(
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

/** Where CloudFront is. China, GovCloud and the European Sovereign Cloud have none of this kind. */
const OTHER_PARTITIONS = /^(?:cn|us-gov|eusc)-/;

/** The name of the secret that CloudFront shows to `ingest`, in both regions. */
export function edgeSecretName(environment: string): string {
  return secretName(environment, EDGE_SECRET);
}

/** What must agree with the rest of the environment. */
export function checkEdge({ edge, region, emulated, publicUrl, config }: Deployment, report: Report): void {
  if (edge === undefined) return;
  const path = `environments.${config.environment}.edge`;
  const rule = (holds: boolean, given: string, allowed: string, fix: string): void => {
    if (!holds) report({ path, given, allowed, fix });
  };
  rule(!emulated, 'edge where AWS is emulated', 'edge on AWS alone', 'leave it out here');
  rule(
    !OTHER_PARTITIONS.test(region ?? ''),
    `edge with region ${region}`,
    'regions of the partition aws: no other has the CloudFront that this uses',
    'leave it out',
  );
  const apiRegion = edge.apiUrl.split('.')[2];
  rule(
    region === undefined || apiRegion === region,
    `an apiUrl in ${apiRegion} with region ${region}`,
    'the ApiUrl of this environment',
    'copy what its own deploy printed',
  );
  const host = publicUrl?.replace(/^https?:\/\//, '');
  const own = host !== undefined && !host.endsWith('.cloudfront.net');
  rule(
    edge.certificate === undefined || own,
    `a certificate with publicUrl ${publicUrl ?? 'not set'}`,
    'a certificate for the host of publicUrl, which is one of yours',
    'set publicUrl to your own host, or leave the certificate out',
  );
  rule(
    edge.direct !== 'refused' || (own ? edge.certificate !== undefined : host !== undefined),
    `direct: 'refused' with publicUrl ${publicUrl ?? 'not set'} and ${edge.certificate ? 'a' : 'no'} certificate`,
    'a publicUrl that leads through CloudFront: its own host, or yours with a certificate. Else the probe is refused, too',
    "set publicUrl to what the deploy printed as EdgeUrl, or take direct: 'accepted'",
  );
}
