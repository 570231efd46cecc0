/** How many events would fit, payload and record together, into the kilobyte that one write unit pays for. */

import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { toAttributes } from '#adapters/dynamodb/marshal.ts';
import { keptHeaders } from '#core/inbound/protocol/kept-headers.ts';
import { PROVIDERS } from '#providers/index.ts';
import { providerEvent } from '#test/kit/events/provider-events.ts';
import { itemSize } from './dynamodb-units.ts';

const KILOBYTE = 1_024;

interface Body {
  readonly provider: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `recordBytes`: of a record when its event is over, which every write up to then must fit beside the body. */
export function fitting(bodies: readonly Body[], recordBytes: number): number {
  return bodies.filter(({ provider, headers, body }) => {
    const spec = PROVIDERS[provider as keyof typeof PROVIDERS];
    const kept = spec === undefined ? {} : keptHeaders(spec, headers);
    const item = toAttributes({ body: nodeCodec.deflate(Buffer.from(body), provider), headers: kept });
    return recordBytes + itemSize(item) <= KILOBYTE;
  }).length;
}

/** Events of real length: Stripe charges, GitHub pushes, Shopify orders. */
export function drawnBodies(count: number, now: Date): readonly Body[] {
  return Array.from({ length: count }, (_, number) => {
    const { provider, headers, body } = providerEvent(number, now.getTime());
    return { provider, headers, body };
  });
}
