/** What `edge` must agree with in the rest of its environment. */
import type { Report } from '#core/problem.ts';
import type { Deployment } from './deployment.ts';

/** Where CloudFront is. China, GovCloud and the European Sovereign Cloud have none of this kind. */
const OTHER_PARTITIONS = /^(?:cn|us-gov|eusc)-/;

/** Reports what of `edge` cannot work here. */
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
