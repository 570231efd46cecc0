import { CachePolicy, CfnDistribution, OriginRequestPolicy, SecurityPolicyProtocol } from 'aws-cdk-lib/aws-cloudfront';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { CfnDynamicReference, CfnDynamicReferenceService, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { type Deployment, edgeSecretName } from '#core/config/deployment.ts';
import { EDGE_REGION, type EdgeConfig } from '#core/config/edge-config.ts';
import { EDGE_HEADER } from '#core/inbound/ingest/through-edge.ts';
import { acknowledge } from '#lib/constructs/acknowledge.ts';

/** Two seconds more than API Gateway waits for ingest. */
const ORIGIN_TIMEOUT_SECONDS = 14;

export interface EdgeStackProps extends StackProps {
  readonly deployment: Deployment;
  readonly edge: EdgeConfig;
}

/**
 * CloudFront before the front door, with a limit per source address. It caches nothing, changes nothing of a request, and
 * shows `ingest` a secret that tells its requests from those that reach the API beside it. All of it is in this one stack,
 * in us-east-1: the API is known to it by its address.
 */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    super(scope, id, props);
    const { deployment, edge } = props;
    const distribution = this.#addDistribution(edge, deployment, this.#addLimit(edge), this.#addSecret(deployment));
    new CfnOutput(this, 'EdgeUrl', {
      value: `https://${distribution.attrDomainName}`,
      description: 'Origin of every webhook URL, through CloudFront: publicUrl, or where its DNS name leads',
    });
  }

  #addLimit({ requestsPerMinute }: EdgeConfig): CfnWebACL {
    const visible = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      // Samples would keep headers and URLs, in which there may be tokens.
      sampledRequestsEnabled: false,
      metricName,
    });
    return new CfnWebACL(this, 'Limit', {
      scope: 'CLOUDFRONT',
      description: 'One source address may not use up what all have',
      defaultAction: { allow: {} },
      visibilityConfig: visible('All'),
      rules: [
        {
          name: 'PerAddress',
          priority: 0,
          statement: {
            rateBasedStatement: { aggregateKeyType: 'IP', limit: requestsPerMinute, evaluationWindowSec: 60 },
          },
          // Providers try again after 429, and few after 403.
          action: {
            block: {
              customResponse: { responseCode: 429, responseHeaders: [{ name: 'Retry-After', value: '60' }] },
            },
          },
          visibilityConfig: visible('PerAddress'),
        },
      ],
    });
  }

  /** One value in both regions, made here and known to nobody. */
  #addSecret({ config, region }: Deployment): CfnSecret {
    const secret = new CfnSecret(this, 'Secret', {
      name: edgeSecretName(config),
      description: 'What CloudFront shows to ingest. Nobody needs to know it.',
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'current',
        passwordLength: 64,
        excludePunctuation: true,
      },
      ...(region === EDGE_REGION ? {} : { replicaRegions: [{ region: region ?? Stack.of(this).region }] }),
    });
    acknowledge(secret, {
      id: 'AwsSolutions-SMG4',
      reason:
        'CloudFront is given the value when this stack changes; a value that changed by itself in between would cut off every request. docs/operate/address-limit.md says how to replace it.',
    });
    return secret;
  }

  #addDistribution(edge: EdgeConfig, deployment: Deployment, limit: CfnWebACL, secret: CfnSecret): CfnDistribution {
    const { certificate } = edge;
    const shown = new CfnDynamicReference(
      CfnDynamicReferenceService.SECRETS_MANAGER,
      `${secret.ref}:SecretString:current`,
    );
    const distribution = new CfnDistribution(this, 'Distribution', {
      distributionConfig: {
        enabled: true,
        comment: `Holdfast ${deployment.config.environment}: webhooks, with a limit per source address`,
        httpVersion: 'http2',
        // The limit counts addresses, of which a sender with IPv6 has as many as it likes. The API has none of its own, either.
        ipv6Enabled: false,
        webAclId: limit.attrArn,
        origins: [
          {
            id: 'Api',
            domainName: edge.apiUrl.replace('https://', ''),
            originCustomHeaders: [{ headerName: EDGE_HEADER, headerValue: shown.toString() }],
            customOriginConfig: {
              originProtocolPolicy: 'https-only',
              originSslProtocols: ['TLSv1.2'],
              originReadTimeout: ORIGIN_TIMEOUT_SECONDS,
            },
          },
        ],
        defaultCacheBehavior: {
          targetOriginId: 'Api',
          viewerProtocolPolicy: 'https-only',
          allowedMethods: ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
          cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
          // All but Host, which names the API: signatures cover headers, query and body as they were sent.
          originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
          compress: false,
        },
        ...(certificate === undefined
          ? {}
          : {
              aliases: [(deployment.publicUrl ?? '').replace(/^https?:\/\//, '')],
              viewerCertificate: {
                acmCertificateArn: certificate,
                minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
                sslSupportMethod: 'sni-only',
              },
            }),
      },
    });
    for (const [rule, reason] of Object.entries(ACKNOWLEDGED)) {
      acknowledge(distribution, { id: `AwsSolutions-${rule}`, reason });
    }
    return distribution;
  }
}

const ACKNOWLEDGED = {
  CFR1: 'Providers deliver from wherever their machines are; a country says nothing about who sends. Each request is authenticated by its signature.',
  CFR3: 'A line of this log would hold the URL with its query, in which some providers put a token. The API keeps an access log without it.',
  CFR4: 'Without a name and a certificate of your own CloudFront decides which TLS it speaks; with them it is TLS 1.2 and later (edge.certificate).',
} as const;
