/**
 * Requests that were refused: what is kept of the last of each source and cause. They were not accepted and cannot be
 * replayed: the provider has to send them again.
 */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import { isCause, LIKELY } from '#core/inbound/ingest/refusals.ts';
import type { PayloadStore } from '#core/inbound/ports.ts';
import type { RefusedItem } from '#core/inbound/protocol/event-item.ts';
import { meant } from '#core/problem.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';

export interface RefusedRequest {
  /** As `refused show` takes it: `<source>.<cause>.<slot>`. A later request of the cause may take the slot. */
  readonly id: string;
  readonly source: SourceId;
  readonly cause: string;
  /** The check's own word for what was wrong. */
  readonly hint: string | undefined;
  readonly at: EpochMs;
  /** Bytes of its body. */
  readonly size: number;
  /** What is likely wrong, in a sentence. */
  readonly likely: string;
}

export interface RefusedContent extends RefusedRequest {
  /** Never a signature, a cookie or a credential. Undefined: the source says `quarantine: false`. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** The first 16 KB of the body. */
  readonly body: Buffer | undefined;
}

export interface RefusedFilter {
  readonly sources: readonly SourceId[];
  readonly cause?: string | undefined;
  readonly since: EpochMs;
}

const MAX_BODY_BYTES = 65_536;

/** What is kept of refused requests, newest first. Throws OperatorError (usage) for a cause that is none. */
export async function listRefused(operator: Operator, filter: RefusedFilter): Promise<readonly RefusedRequest[]> {
  const { cause } = filter;
  if (cause !== undefined && !isCause(cause)) {
    const causes = Object.keys(LIKELY);
    const allowed = causes.join(', ');
    throw usageError(`cause: "${cause.slice(0, 40)}"`, allowed, meant(cause, causes, 'leave it out'));
  }
  const { payloads } = await operator.gateway();
  return readRefused(payloads, filter);
}

/** The same from the store itself. */
export async function readRefused(
  payloads: Pick<PayloadStore, 'listRefused'>,
  filter: RefusedFilter,
): Promise<readonly RefusedRequest[]> {
  const found = await Promise.all(
    filter.sources.map(async source =>
      (await payloads.listRefused(source, filter.cause, 'eventual')).map(item => requestOf(source, item)),
    ),
  );
  return found
    .flat()
    .filter(({ at }) => at >= filter.since)
    .sort((a, b) => b.at - a.at);
}

/** One of them with its headers and body. Throws OperatorError when it is not there any more. */
export async function showRefused(operator: Operator, id: string): Promise<RefusedContent> {
  const { payloads } = await operator.gateway();
  const source = operator.source(id.split('.')[0] ?? '').id;
  const items = await payloads.listRefused(source);
  const item = items.find(each => requestOf(source, each).id === id);
  if (item === undefined)
    throw new OperatorError(
      `No refused request ${id.slice(0, 80)} is kept: the last 20 of each source and cause are kept, for three days. List them: ${operator.command('refused ls')}`,
      'not_found',
    );
  const body = item.bytes === undefined ? undefined : Buffer.from(nodeCodec.inflate(item.bytes, MAX_BODY_BYTES));
  return { ...requestOf(source, item), headers: item.headers, body };
}

/** What is likely wrong where a request was refused for this; a cause of another version is looked up in the logs. */
export function likelyCause(cause: string): string {
  return isCause(cause) ? LIKELY[cause] : 'The logs of the ingest function say more.';
}

function requestOf(source: SourceId, { sk, cause, hint, refusedAt, size }: RefusedItem): RefusedRequest {
  const id = `${source}.${cause}.${sk.slice(sk.lastIndexOf('#') + 1)}`;
  const likely = likelyCause(cause);
  return { id, source, cause, hint, at: refusedAt, size, likely };
}

/** How many are kept of a source and cause: at most 20, however many there were. */
export interface RefusedCount {
  readonly source: SourceId;
  readonly cause: string;
  readonly count: number;
  readonly lastAt: EpochMs;
}

export function countRefused(requests: readonly RefusedRequest[]): readonly RefusedCount[] {
  const counts = new Map<string, RefusedCount>();
  for (const { source, cause, at } of requests) {
    const key = `${source} ${cause}`;
    const before = counts.get(key) ?? { source, cause, count: 0, lastAt: at };
    counts.set(key, { ...before, count: before.count + 1, lastAt: Math.max(before.lastAt, at) });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
