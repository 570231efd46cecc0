/**
 * What the picture, its page and the README claim, in plain words: the chart draws it, and `npm run bench -- judge` measures
 * it again.
 */
import type { KnownNumbers } from './section.ts';

export interface Claim {
  readonly label: string;
  /** Where the number is: the section, and its name there. */
  readonly section: string;
  readonly name: string;
  /** The number is divided by this one, of the same section. */
  readonly over?: string;
  /**
   * `counted` is the same on every machine; of `bounded`, the target is what is claimed. `ratio` is CPU over the CPU of a
   * reference in the same run. `predicted` are milliseconds on AWS.
   */
  readonly kind: 'counted' | 'bounded' | 'ratio' | 'predicted';
  /** In the number's unit; reached if the number is not above it. */
  readonly target?: number;
  readonly show: (value: number) => string;
}

export interface ClaimGroup {
  readonly title: string;
  readonly claims: readonly Claim[];
}

export const times = (value: number): string => `${value.toFixed(1)} ×`;
export const dollars = (value: number): string => `$${value.toFixed(2)}`;
const tenths = (value: number): string => String(Math.round(value * 10) / 10);
const milliseconds = (value: number): string => `${Math.round(value)} ms`;
const kilobytes = (value: number): string => `${Math.round(value / 1000)} KB`;

const PAID = { section: 'c', kind: 'counted', show: dollars } as const;
const COUNTED = { section: 'c', kind: 'counted', show: tenths } as const;
const WAITED = { section: 'f', kind: 'predicted', show: milliseconds } as const;
const CPU = { kind: 'ratio', show: times } as const;

/** Drawn beside their targets, in this order. */
export const DRAWN: readonly ClaimGroup[] = [
  {
    title: 'What you pay, predicted',
    claims: [
      { label: 'a million events received, at 1M a day', name: 'dollarsShipped', target: 7, ...PAID },
      { label: 'the same with the cheapest settings', name: 'dollarsCheapest', target: 6, ...PAID },
      { label: 'a million messages sent, few at a time', name: 'deliveryQuietDollars', target: 13, ...PAID },
      { label: 'a million messages sent, many at a time', name: 'deliveryBusyDollars', target: 10, ...PAID },
      { label: 'database writes billed for an event', name: 'okWriteUnits', target: 4, ...COUNTED },
      { label: 'the same for one that comes again', name: 'duplicateWriteUnits', target: 3, ...COUNTED },
    ],
  },
  {
    title: 'What you wait for, predicted',
    claims: [
      { label: '9 of 10 requests are answered within', name: 'acceptP90', target: 50, ...WAITED },
      { label: '99 of 100 events are processed within', name: 'warmP99', target: 200, ...WAITED },
    ],
  },
  {
    title: 'How hard it works (CPU)',
    claims: [
      { label: 'a cold start, over an empty Node program', section: 'a', name: 'primed', target: 3.8, ...CPU },
      { label: 'a first event, over its calls to AWS alone', section: 'a', name: 'firstEvent', target: 8, ...CPU },
      { label: 'receiving an event, over its calls alone', section: 'b', name: 'clientRatio', target: 6, ...CPU },
      {
        label: 'code that a start loads',
        ...{ section: 'a', name: 'raw', target: 308_000, kind: 'counted', show: kilobytes },
      },
    ],
  },
];

/** The peers of the picture, and what stands in sentences only. */
export const SAID: readonly Claim[] = [
  { label: 'CPU of an event, over node:http + Postgres 15', section: 'd', name: 'sdkOverPeer1', ...CPU },
  { label: 'CPU of an event, over BullMQ on Redis 7', section: 'd', name: 'sdkOverPeer2', ...CPU },
  { label: 'a start, over a minimal handler with the same SDK', section: 'a', name: 'primed', over: 'minimal', ...CPU },
  { label: 'handling an event, over its calls alone', section: 'b', name: 'processHttpRatio', ...CPU },
  { label: 'a million events received, at 10M a day', name: 'dollarsTenMillion', ...PAID },
  {
    label: 'wait of healthy endpoints while 10 of 1,000 hang, over that before',
    ...{ section: 'g', name: 'virtualTen', kind: 'bounded', target: 1.1, show: times },
  },
];

/** The number of a claim, where it is known. */
export function numberOf({ section, name, over }: Claim, numbers: KnownNumbers): number | undefined {
  const of = numbers[section] ?? {};
  const [value, divisor] = [of[name], over === undefined ? 1 : of[over]];
  return value === undefined || divisor === undefined ? undefined : value / divisor;
}
