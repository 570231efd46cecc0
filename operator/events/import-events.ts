/**
 * Brings events of an export into this environment, by the rules of test/proof/model/import-model.ts: nothing runs and nothing
 * is sent. What has ended stays as it ended; what has not waits behind a pause of its source. What is there already is left
 * alone, so an import that was cut off is run again. One that ended in the old environment since an earlier import ends here.
 */
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import {
  EVENT_STATUSES,
  type EventPk,
  type EventStatus,
  eventIdToPk,
  PROBE_SOURCE,
  type SourceId,
  splitEventPk,
  toEventId,
} from '#core/glossary.ts';
import { parsePayload } from '#core/inbound/process/parse-payload.ts';
import type { EventIn, EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { endImported, expiryAfter, FAR, importedItem, type WriteRules } from '#core/inbound/protocol/event-writes.ts';
import { PAYLOAD_MARGIN_DAYS } from '#core/inbound/protocol/retention.ts';
import { searchItems, valuesIn } from '#core/inbound/protocol/searchable.ts';
import { storeBody } from '#core/inbound/protocol/store-body.ts';
import { everyPage } from '#core/pages.ts';
import { toHex } from '#core/scan/bytes.ts';
import { decodeJsonObject } from '#core/scan/json-object.ts';
import { MINUTE_MS, SECOND_MS } from '#core/time.ts';
import type { Gateway } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { pause } from './pauses.ts';

/** A run of the sweeper takes less, and every cache of the pauses is over. */
const PAUSE_KNOWN_MS = MINUTE_MS;
const LOOK_AT_ONCE = 100;
/** Bodies of up to megabytes lie in memory together. */
const WRITE_AT_ONCE = 16;
const SHOWN = 5;
const WHY_PAUSED = 'imported events wait: resume when the environment they come from has stopped';

export interface ImportWay {
  readonly dryRun: boolean;
  /** Into an environment that holds other events, too. */
  readonly add: boolean;
  /** After some events. */
  progress?(done: number, total: number): void;
}
export interface ImportedEvents {
  readonly events: number;
  readonly made: number;
  readonly there: number;
  /** They waited here since an earlier import, and have ended since where they come from. */
  readonly ended: number;
  /** Of those made: they wait for a person. */
  readonly waiting: number;
  /** Their retention is over. */
  readonly expired: number;
  readonly withoutBody: number;
  /** Sources that are paused now for what waits. */
  readonly paused: readonly SourceId[];
}

interface Entry {
  readonly item: EventItem;
  readonly body: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly resultText: string | undefined;
}

/** `lines`: the file, from its begin each time. Throws OperatorError before it writes anything where the file does not fit. */
export async function importEvents(
  operator: Operator,
  lines: () => AsyncIterable<string>,
  way: ImportWay,
): Promise<ImportedEvents> {
  const run = new Import(operator, await operator.gateway(), way);
  await run.look(lines());
  if (!way.add) await run.refuseOthers();
  if (!way.dryRun) {
    await run.holdBack();
    await run.write(lines());
  }
  return run.result();
}

class Import {
  readonly #operator: Operator;
  readonly #gateway: Gateway;
  readonly #way: ImportWay;
  readonly #rules: WriteRules & { readonly inlineLimitBytes: number };
  readonly #pks = new Set<EventPk>();
  readonly #toPause = new Set<SourceId>();
  #counts = { made: 0, there: 0, ended: 0, waiting: 0, expired: 0, withoutBody: 0 };

  constructor(operator: Operator, gateway: Gateway, way: ImportWay) {
    this.#operator = operator;
    this.#gateway = gateway;
    this.#way = way;
    this.#rules = gateway.deployment.config;
  }

  result(): ImportedEvents {
    return { events: this.#pks.size, ...this.#counts, paused: [...this.#toPause] };
  }

  /** Everything that is wrong with the file, or with what is there, before the first write. */
  async look(lines: AsyncIterable<string>): Promise<void> {
    const differing: string[] = [];
    let at = 0;
    let page: EventItem[] = [];
    const compare = async (): Promise<void> => {
      for (const [item, there] of await this.#withThere(page)) {
        const fate = fateOf(item, there, this.#gateway.clock.now());
        if (fate === 'differs') differing.push(toEventId(item.pk));
        else this.#counts[fate] += 1;
        if (fate !== 'made' || isTerminal(item.status)) continue;
        this.#counts.waiting += 1;
        this.#toPause.add(splitEventPk(item.pk).sourceId);
      }
      page = [];
      this.#way.progress?.(0, this.#pks.size);
    };
    for await (const line of lines) {
      at += 1;
      if (line.trim() === '') continue;
      const { item, body } = this.#read(line, at);
      if (this.#pks.has(item.pk)) throw wrongLine(at, `${toEventId(item.pk)} a second time`);
      this.#pks.add(item.pk);
      if (body === undefined) this.#counts.withoutBody += 1;
      page.push(item);
      if (page.length === LOOK_AT_ONCE) await compare();
    }
    await compare();
    if (this.#pks.size === 0)
      throw usageError('The file has no events', 'what holdfast export wrote', 'give the file of an export');
    if (differing.length === 0) return;
    throw usageError(
      `${differing.length} events are here already, and are others: ${differing.slice(0, SHOWN).join(', ')}`,
      'an environment that was empty, or holds the same events',
      'import before a provider sends to this environment; nothing was written',
    );
  }

  async refuseOthers(): Promise<void> {
    for await (const { items } of everyPage(cursor => this.#gateway.store.scan(cursor))) {
      const other = items.find(({ pk }) => !this.#pks.has(pk) && splitEventPk(pk).sourceId !== PROBE_SOURCE);
      if (other !== undefined)
        throw usageError(
          `${this.#operator.environment} holds events that are not in the file, e.g. ${toEventId(other.pk)}`,
          'an empty environment, or one that this file was imported into',
          'import into a new environment, or give --add to bring the events beside those; nothing was written',
        );
    }
  }

  /** Paused, and known to be: no function that has not heard of it is at work any more. */
  async holdBack(): Promise<void> {
    const { clock, timer } = this.#gateway;
    let known = clock.now();
    for (const id of this.#toPause) {
      const { note } = await pause(this.#operator, { id }, WHY_PAUSED);
      known = Math.max(known, note.since + PAUSE_KNOWN_MS);
    }
    for (let left = known - clock.now(); left > 0; left = known - clock.now()) {
      this.#way.progress?.(0, this.#pks.size);
      await timer.sleep(Math.min(left, SECOND_MS));
    }
  }

  async write(lines: AsyncIterable<string>): Promise<void> {
    this.#counts = { ...this.#counts, made: 0, there: 0, ended: 0, expired: 0, waiting: 0 };
    let at = 0;
    let done = 0;
    let some: Entry[] = [];
    const writeSome = async (): Promise<void> => {
      await Promise.all(some.map(entry => this.#writeOne(entry)));
      done += some.length;
      this.#way.progress?.(done, this.#pks.size);
      some = [];
    };
    for await (const line of lines) {
      at += 1;
      if (line.trim() === '') continue;
      some.push(this.#read(line, at));
      if (some.length === WRITE_AT_ONCE) await writeSome();
    }
    await writeSome();
  }

  /** Its body first: a record never exists without one. */
  async #writeOne(entry: Entry): Promise<void> {
    const { store, payloads, clock } = this.#gateway;
    const { item } = entry;
    const now = clock.now();
    let there = await store.get(item.pk);
    const wanted = importedItem(item, now, this.#rules);
    if (fateOf(item, there, now) === 'made') {
      await this.#keepBody(entry, wanted);
      if (entry.resultText !== undefined)
        await payloads.putDetail({
          ...{ pk: item.pk, sk: `D#${item.gen}`, detail: entry.resultText },
          expiresAt: expiryAfter(now, this.#rules.retentionDays + PAYLOAD_MARGIN_DAYS),
        });
      const written = await store.insert(wanted);
      if (written.kind === 'applied') {
        this.#counts.made += 1;
        if (!isTerminal(wanted.status)) this.#counts.waiting += 1;
        return;
      }
      there = written.item;
    }
    const fate = fateOf(item, there, now);
    if (fate === 'ended' && there !== undefined) {
      const ended = await store.update(endImported(there, wanted as EventIn<'completed'>));
      if (ended.kind === 'applied') this.#counts.ended += 1;
      else this.#counts.there += 1;
    } else if (fate === 'there' || fate === 'expired') this.#counts[fate] += 1;
    else
      throw new OperatorError(
        `${toEventId(item.pk)} came to this environment while the import ran: it is another event. Run the import again: it says which differ`,
        'failure',
      );
  }

  async #keepBody({ item, body, headers }: Entry, wanted: EventItem): Promise<void> {
    if (body === undefined) return;
    const { clock, search } = this.#gateway;
    const { retentionDays, deadRetentionDays } = this.#rules;
    const days = wanted.deadAt === undefined ? retentionDays : Math.max(retentionDays, deadRetentionDays);
    const { pk, bodySha } = item;
    const place = { bytes: nodeCodec.deflate(body) };
    await storeBody({ pk, bodySha, headers, place }, this.#gateway, {
      ...this.#rules,
      retentionDays: days,
    });
    const fields = this.#source(pk)?.searchable;
    const payload = fields && parsePayload(body, headers['content-type']);
    if (payload?.kind !== 'parsed' || fields === undefined) return;
    const values = valuesIn(payload.value, fields);
    const items = searchItems(wanted, values, expiryAfter(clock.now(), days), nodeCrypto);
    for (const each of items) await search.put(each);
  }

  #source(pk: EventPk): ResolvedSource | undefined {
    const { sourceId } = splitEventPk(pk);
    return this.#gateway.deployment.sources.find(({ source }) => source.id === sourceId)?.source;
  }

  async #withThere(items: readonly EventItem[]): Promise<readonly (readonly [EventItem, EventItem | undefined])[]> {
    if (items.length === 0) return [];
    const there = new Map((await this.#gateway.store.getMany(items.map(({ pk }) => pk))).map(it => [it.pk, it]));
    return items.map(item => [item, there.get(item.pk)]);
  }

  /** No error repeats a body. */
  #read(line: string, at: number): Entry {
    const written = decodeJsonObject(line);
    if (written === undefined) throw wrongLine(at, 'no JSON object');
    const { record, headers, body, body_base64: base64, result_text: resultText } = written;
    if (typeof record !== 'object' || record === null) throw wrongLine(at, 'no `record`: it is of an older export');
    // Not a record of its status yet: leases and places in indexes are made anew.
    const item = { resends: 0, ...record } as unknown as EventItem;
    const { sourceId } = sourceOf(written, item, at);
    if (this.#source(item.pk) === undefined)
      throw usageError(
        `Line ${at}: events of ${sourceId}, which ${this.#operator.environment} does not have`,
        this.#operator.sourceIds.join(', '),
        `add the source to gateway.config.ts and deploy, or export the others: --source`,
      );
    const bytes =
      typeof base64 === 'string'
        ? Buffer.from(base64, 'base64')
        : typeof body === 'string'
          ? Buffer.from(body)
          : undefined;
    if (bytes !== undefined && toHex(nodeCrypto.hash('sha256', bytes)) !== item.bodySha)
      throw wrongLine(at, `the body of ${toEventId(item.pk)} changed since it was exported`);
    if (!EVENT_STATUSES.includes(item.status as EventStatus) || importedItem(item, 0, this.#rules).status === 'unknown')
      throw wrongLine(at, `a record of ${toEventId(item.pk)} that is not whole, or of a newer version`);
    return {
      item,
      body: bytes,
      headers: (headers ?? {}) as Readonly<Record<string, string>>,
      resultText: typeof resultText === 'string' ? resultText : undefined,
    };
  }
}

type Fate = 'made' | 'there' | 'ended' | 'expired' | 'differs';

/** What becomes of an event of the file, by what is there. */
function fateOf(item: EventItem, there: EventItem | undefined, now: number): Fate {
  if (there === undefined) return item.expiresAt !== undefined && item.expiresAt * 1_000 <= now ? 'expired' : 'made';
  const same = (['ingestId', 'receivedAt', 'provider', 'size'] as const).every(name => there[name] === item[name]);
  if (!same) return 'differs';
  const waits = there.status === 'deferred' && there.watchAt === FAR;
  // A death did nothing: the event may run here.
  const hasEnded = item.completedAt !== undefined && item.gen >= there.gen;
  return waits && hasEnded ? 'ended' : 'there';
}

function sourceOf(written: Readonly<Record<string, unknown>>, item: EventItem, at: number) {
  const { pk, bodySha, receivedAt, gen, run, ingestId } = item;
  const numbers = [receivedAt, gen, run].every(Number.isSafeInteger);
  if (typeof pk === 'string' && pk === eventIdToPk(String(written['id'])) && numbers)
    if ([bodySha, ingestId].every(it => typeof it === 'string')) return splitEventPk(pk);
  throw wrongLine(at, 'a record without its id, or of another event');
}

const wrongLine = (at: number, what: string): OperatorError =>
  usageError(`Line ${at} of the file: ${what}`, 'a line as holdfast export wrote it', 'export again');
