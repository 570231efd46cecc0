/** List prices as data. US dollars, us-east-1, first tier, without any free tier. */
export interface Price {
  readonly dollars: number;
  /** What one `dollars` buys. */
  readonly per: string;
  readonly source: string;
}

export const DAYS_PER_MONTH = 365 / 12;

/** When the prices were last looked up. */
export const PRICES_READ_ON = '2026-11-21';

export const PRICES = {
  httpApiMillion: {
    dollars: 1,
    per: 'million requests of at most 512 KB (above 300M a month: 0.90)',
    source: 'aws.amazon.com/api-gateway/pricing',
  },
  lambdaRequestMillion: { dollars: 0.2, per: 'million invocations', source: 'aws.amazon.com/lambda/pricing' },
  lambdaArmGbSecond: { dollars: 0.0000133334, per: 'GB-second on arm64', source: 'aws.amazon.com/lambda/pricing' },
  dynamoWriteMillion: {
    dollars: 0.625,
    per: 'million write request units (on demand, since 2024-11-01)',
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
  },
  dynamoWriteCapacityHour: {
    dollars: 0.00065,
    per: 'write capacity unit and hour (provisioned: 3,600 writes)',
    source: 'aws.amazon.com/dynamodb/pricing/provisioned',
  },
  dynamoReadMillion: {
    dollars: 0.125,
    per: 'million read request units (on demand, since 2024-11-01)',
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
  },
  dynamoStorageGbMonth: { dollars: 0.25, per: 'GB-month', source: 'aws.amazon.com/dynamodb/pricing/on-demand' },
  dynamoPitrGbMonth: {
    dollars: 0.2,
    per: 'GB-month of tables with point-in-time recovery',
    source: 'aws.amazon.com/dynamodb/pricing/on-demand',
  },
  sqsRequestMillion: {
    dollars: 0.4,
    per: 'million requests of at most 64 KB, standard queue',
    source: 'aws.amazon.com/sqs/pricing',
  },
  sqsFairMillion: {
    dollars: 0.1,
    per: 'million requests more where messages carry a group id (fair queue, since 2025-07)',
    source: 'cloudburn.io/blog/amazon-sqs-pricing (2026-03)',
  },
  customMetricMonth: {
    dollars: 0.3,
    per: 'custom metric and month, by the hours in which it comes (first 10,000)',
    source: 'aws.amazon.com/cloudwatch/pricing',
  },
  logsGb: { dollars: 0.5, per: 'GB taken in', source: 'aws.amazon.com/cloudwatch/pricing' },
  transferOutGb: {
    dollars: 0.09,
    per: 'GB sent to the internet (first 10 TB a month)',
    source: 'aws.amazon.com/ec2/pricing/on-demand',
  },
  s3PutThousand: { dollars: 0.005, per: 'thousand PUTs', source: 'aws.amazon.com/s3/pricing' },
  s3GetThousand: { dollars: 0.0004, per: 'thousand GETs', source: 'aws.amazon.com/s3/pricing' },
} as const satisfies Readonly<Record<string, Price>>;
