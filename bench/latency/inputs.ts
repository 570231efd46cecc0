/** What the latency model is fed with beside the measured CPU. Times in milliseconds; each with where it is from. */

/** A distribution by some of its quantiles, straight between their logarithms. */
export interface Quantiles {
  readonly name: string;
  readonly at: readonly (readonly [share: number, ms: number])[];
  readonly source: string;
}

/** Memory of a function, and that at which it has a whole vCPU (Lambda Developer Guide, "Configure Lambda function memory"). */
export const MEMORY_MB = 512;
export const CORE_MB = 1_769;
export const CPU_SHARE = MEMORY_MB / CORE_MB;

export const INPUTS = {
  api: {
    name: 'HTTP API, beside the integration',
    at: [
      [0, 3],
      [0.5, 8],
      [0.99, 25],
      [1, 80],
    ],
    source: 'smplogs.com, of REST; the tail is assumed',
  },
  dynamo: {
    name: 'one DynamoDB call',
    at: [
      [0, 2],
      [0.5, 4],
      [0.99, 12],
      [0.999, 40],
      [1, 150],
    ],
    source: 'AWS: single-digit milliseconds; the tail is assumed',
  },
  sqsSend: {
    name: 'SendMessage',
    at: [
      [0, 3],
      [0.5, 6],
      [0.99, 25],
      [0.999, 60],
      [1, 200],
    ],
    source: 'assumed',
  },
  mapping: {
    name: 'from sent to the start of the function',
    at: [
      [0, 5],
      [0.1, 13.7],
      [0.5, 16.2],
      [0.9, 33.8],
      [0.99, 105],
      [1, 400],
    ],
    source: 'bitesizedserverless.com, 2022-09; send included',
  },
  sandbox: {
    name: 'a new environment, before our code',
    at: [
      [0, 60],
      [0.5, 110],
      [0.99, 300],
      [1, 600],
    ],
    source: 'assumed',
  },
} as const satisfies Readonly<Record<string, Quantiles>>;

/** How long environments live, for the share of cold starts. Assumed: AWS promises neither. */
export const ENVIRONMENTS = { idleMinutes: 6, lifeMinutes: 120 } as const;

/** A value of a distribution at a share of it. */
export function valueAt({ at }: Quantiles, share: number): number {
  for (let i = 1; i < at.length; i++) {
    const [lowShare, low] = at[i - 1] as readonly [number, number];
    const [highShare, high] = at[i] as readonly [number, number];
    if (share > highShare) continue;
    const part = (share - lowShare) / (highShare - lowShare);
    return Math.exp(Math.log(low) + part * (Math.log(high) - Math.log(low)));
  }
  return at.at(-1)?.[1] ?? 0;
}
