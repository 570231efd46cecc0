/** How many events would fit, payload and record together, into the kilobyte that one write unit pays for. */

import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { toAttributes } from '#adapters/dynamodb/marshal.ts';
import { keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import { declaredSamples, sampleNames } from '#operator/sources/sample-event.ts';
import { PROVIDERS } from '#providers/index.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { itemSize } from './dynamodb-units.ts';

const KILOBYTE = 1_024;

interface Fit {
  readonly of: number;
  readonly fit: number;
  /** Bytes of a deflated body. */
  readonly median: number;
}

interface Body {
  readonly provider: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `recordBytes`: of a record when its event is over, which every write up to then must fit beside the body. */
export function fitOf(bodies: readonly Body[], recordBytes: number): Fit {
  const sizes = bodies.map(({ provider, headers, body }) => {
    const spec = PROVIDERS[provider as keyof typeof PROVIDERS];
    const deflated = nodeCodec.deflate(Buffer.from(body), provider);
    const kept = spec === undefined ? {} : keptHeaders(spec, headers);
    return { deflated: deflated.length, both: recordBytes + itemSize(toAttributes({ body: deflated, headers: kept })) };
  });
  return {
    of: sizes.length,
    fit: sizes.filter(({ both }) => both <= KILOBYTE).length,
    median: sizes.map(it => it.deflated).sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0,
  };
}

/** The samples of `providers/samples/`: what the providers' pages show, shortened there. */
export function sampleBodies(now: Date): readonly Body[] {
  return sampleNames().flatMap(provider =>
    declaredSamples(provider, now).map(({ headers, body }) => ({ provider, headers, body })),
  );
}

/** Events of real length: Stripe charges, GitHub pushes, Shopify orders. */
export function drawnBodies(count: number, now: Date): readonly Body[] {
  return Array.from({ length: count }, (_, number) => {
    const { provider, headers, body } = providerEvent(number, now.getTime());
    return { provider, headers, body };
  });
}
