/** What else one could run, and what it would cost. Only where a list price or a counted design is known. */

export interface Alternative {
  readonly name: string;
  /** For a picture. */
  readonly short: string;
  /** Dollars for a million 5 KB events. */
  readonly perMillion: number;
  /** Below this number of events a day the price is another. */
  readonly fromEventsPerDay?: number;
  readonly source: string;
}

export const ALTERNATIVES: readonly Alternative[] = [
  {
    name: 'naive on AWS: REST API, 1 GB x86, a 6 KB item rewritten three times, status index, full tracing',
    short: 'a naive design on AWS (our estimate)',
    perMillion: 47,
    source: 'our estimate at list prices, 2026-11',
  },
  {
    name: 'tutorial on AWS: HTTP API, the body in the item, status index with keys only',
    short: 'a tutorial’s design on AWS (our estimate)',
    perMillion: 21.9,
    source: 'our estimate at list prices, 2026-11',
  },
  {
    name: 'Hookdeck, lowest list price',
    short: 'Hookdeck, from 100M a day, without compute',
    perMillion: 3.26,
    fromEventsPerDay: 100_000_000,
    source: '$9,900 a month at 100M a day, hookdeck.com/pricing, 2026-11; your own compute comes on top',
  },
];
