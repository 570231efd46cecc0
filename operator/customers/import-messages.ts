/**
 * Brings messages of an export into this environment, by the rules of test/proof/model/import-deliveries-model.ts.
 * Nothing is sent: what has ended stays as it ended, and what waits does so behind the gate of its endpoint, which a person
 * opens. What is here already is left alone, so an import that was cut off is run again; what ended where it comes from since
 * an earlier import ends here, too.
 */
import { createHash } from 'node:crypto';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { given } from '#core/given.ts';
import {
  fateOfDelivery,
  importedMessage,
  importedRecord,
  isSameMessage,
} from '#core/outbound/api/deliveries/moved-messages.ts';
import type { ItemStore, ItemsTransactResult } from '#core/outbound/ports.ts';
import {
  COPY_WRITES,
  copyMessage,
  IMPORT_WRITES,
  importDelivery,
  putMessage,
} from '#core/outbound/protocol/delivery-writes.ts';
import type { AppId, EndpointId, MessageId } from '#core/outbound/protocol/ids.ts';
import type { ApplicationItem, MessageItem } from '#core/outbound/protocol/items.ts';
import {
  applicationKey,
  BROADCAST,
  endpointKey,
  liveRowKey,
  messageKey,
  recordKey,
  runtimeKey,
} from '#core/outbound/protocol/keys.ts';
import { keptOf, retentionOf } from '#core/outbound/protocol/timings.ts';
import { emptyBody, storeBody } from '#core/outbound/publish/message-body.ts';
import { DAY_MS } from '#core/time.ts';
import type { Gateway } from '#operator/gateway.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { type ReadDelivery, type ReadMessage, readMessage, wrongLine } from './read-messages.ts';

/** Bodies of up to a quarter of a megabyte lie in memory together. */
const AT_ONCE = 16;
const TRIES = 4;

export interface ImportedMessages {
  readonly messages: number;
  readonly made: number;
  readonly there: number;
  /** Their retention is over. */
  readonly expired: number;
  readonly withoutBody: number;
  readonly deliveries: {
    readonly made: number;
    readonly there: number;
    /** They waited here since an earlier import, and have ended since where they come from. */
    readonly ended: number;
    /** Of those made: they wait for a person. */
    readonly waiting: number;
  };
  readonly left: readonly LeftMessages[];
}
/** What was not brought, by its cause. */
interface LeftMessages {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  readonly messages: number;
}
export interface MessagesWay {
  readonly dryRun: boolean;
  progress?(done: number, total: number): void;
}

/** `lines`: the file, from its begin each time. Throws OperatorError before it writes anything where a line does not fit. */
export async function importMessages(
  operator: Operator,
  lines: () => AsyncIterable<string>,
  way: MessagesWay,
): Promise<ImportedMessages> {
  const gateway = await operator.gateway();
  const run = new Import(gateway, await gateway.outbound(), way);
  let total = 0;
  const seen = new Set<string>();
  for await (const { read, at } of messagesIn(lines(), gateway)) {
    if (seen.has(read.message.id)) throw wrongLine(at, `${read.message.id} a second time`);
    seen.add(read.message.id);
    total += 1;
  }
  if (total === 0)
    throw usageError(
      'The file has no messages',
      'what holdfast out export-messages wrote',
      'give the file of an export',
    );
  let some: ReadMessage[] = [];
  let done = 0;
  const bringSome = async (): Promise<void> => {
    await Promise.all(some.map(each => run.message(each)));
    done += some.length;
    way.progress?.(done, total);
    some = [];
  };
  for await (const { read } of messagesIn(lines(), gateway)) {
    // A copy comes after its original.
    if (read.message.copyOf !== undefined) await bringSome();
    some.push(read);
    if (some.length === AT_ONCE) await bringSome();
  }
  await bringSome();
  return run.result(total);
}

async function* messagesIn(lines: AsyncIterable<string>, { clock }: Gateway) {
  let at = 0;
  for await (const line of lines) {
    at += 1;
    if (line.trim() !== '') yield { read: readMessage(line, at, clock.now()), at };
  }
}

class Import {
  readonly #gateway: Gateway;
  readonly #store: ItemStore;
  readonly #way: MessagesWay;
  readonly #retentionMs: number;
  readonly #left = new Map<string, LeftMessages>();
  readonly #applications = new Map<AppId, Promise<ApplicationItem | undefined>>();
  readonly #endpoints = new Map<EndpointId, Promise<boolean>>();
  readonly #counts = { made: 0, there: 0, expired: 0, withoutBody: 0 };
  readonly #deliveries = { made: 0, there: 0, ended: 0, waiting: 0 };

  constructor(gateway: Gateway, store: ItemStore, way: MessagesWay) {
    this.#gateway = gateway;
    this.#store = store;
    this.#way = way;
    this.#retentionMs = (gateway.deployment.config.outbound?.retentionDays ?? 0) * DAY_MS;
  }

  result(messages: number): ImportedMessages {
    return { messages, ...this.#counts, deliveries: this.#deliveries, left: [...this.#left.values()] };
  }

  /** The message before its deliveries: a row whose message is gone would end as expired. */
  async message(read: ReadMessage): Promise<void> {
    const { message, body } = read;
    const application = await this.#application(message.app);
    if (application === undefined)
      return this.#leave(`messages of ${message.app}`, 'the application is not here', 'import customers first');
    const kept = keptOf(application, this.#retentionMs);
    if (message.createdAt + retentionOf(kept, this.#retentionMs) <= this.#gateway.clock.now()) {
      this.#counts.expired += 1;
      return;
    }
    if (body === undefined) this.#counts.withoutBody += 1;
    const there = await this.#store.get(messageKey(message.id), 'consistent');
    const now = there ?? (await this.#put(read, importedMessage(message, kept, this.#rules())));
    if (now !== undefined && !isSameMessage(message, now))
      return this.#leave(
        `messages of ${application.uid ?? application.id}, e.g. ${message.id}`,
        'others are here under their ids: most likely their producer published them here again',
        'nothing: receivers know both by one webhook-id',
      );
    this.#counts[there === undefined ? 'made' : 'there'] += 1;
    if (there !== undefined && there.bodyRemovedAt === undefined && message.bodyRemovedAt !== undefined)
      this.#leave(
        `the body of ${message.id}`,
        'it was erased where it comes from, and is here',
        `DELETE /v1/apps/${message.app}/messages/${message.id}/body`,
      );
    for (const delivery of read.deliveries)
      if (delivery.app === message.app || application.uid === BROADCAST) await this.#delivery(read, delivery);
      else
        this.#leave(
          `deliveries of ${message.app} to ${delivery.app}`,
          'the endpoint is another customer’s',
          'export again',
        );
  }

  /** What is there afterwards; undefined on a dry run. */
  async #put({ message, body }: ReadMessage, item: MessageItem): Promise<MessageItem | undefined> {
    if (this.#way.dryRun) return undefined;
    const ports = { codec: nodeCodec, blobs: this.#gateway.blobs };
    const name = body && createHash('sha256').update(body).digest('hex').slice(0, 16);
    const stored = { ...item, ...(body && name && (await storeBody(ports, message, name, body))) };
    const copied = message.copyOf && (await this.#copy(stored, message.copyOf));
    if (copied) return copied;
    const put = await this.#store.put(putMessage(stored));
    return put.kind === 'applied' ? stored : put.item;
  }

  /** Undefined: its original is no longer there, and nobody can erase both by it. */
  async #copy(copy: MessageItem, of: MessageId): Promise<MessageItem | undefined> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const copied = await this.#store.transact(copyMessage(copy, of), this.#gateway.ids.uuid());
      if (copied.kind === 'applied') return copy;
      if (copied.kind === 'refused' && copied.index !== COPY_WRITES.original)
        return this.#store.get(messageKey(copy.id), 'consistent');
      const original = await this.#store.get(messageKey(of), 'consistent');
      if (original === undefined) return undefined;
      const { bodyRemovedAt } = original;
      if (bodyRemovedAt === undefined) continue;
      // Who erased it here meant its copies, too.
      const { body, ref, ...rest } = copy;
      const without = { ...rest, bodyRemovedAt };
      await emptyBody(this.#gateway, copy, given({ ref }));
      if (body ?? ref) this.#counts.withoutBody += 1;
      const put = await this.#store.put(putMessage(without));
      return put.kind === 'applied' ? without : put.item;
    }
    throw new OperatorError(`Somebody else changes ${of}, of which ${copy.id} is a copy: import again`, 'failure');
  }

  async #delivery({ message }: ReadMessage, { ep, app, record, row }: ReadDelivery): Promise<void> {
    const application = await this.#application(app);
    if (application === undefined || !(await this.#hasEndpoint(app, ep)))
      return this.#leave(`deliveries to ${app}/${ep}`, 'the endpoint is not here', 'import customers first');
    const { id: msg, createdAt, type } = message;
    const kept = keptOf(application, this.#retentionMs);
    const id = { ep, msg, createdAt };
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const [live, seen] = await this.#store.getMany([liveRowKey(id), recordKey(id)]);
      const fate = fateOfDelivery(record, seen, live !== undefined);
      if (fate === 'there') {
        this.#deliveries.there += 1;
        return;
      }
      const wanted = {
        ...id,
        ...kept,
        type,
        ...given({ row, record: record && importedRecord(record, id, kept, this.#rules()) }),
      };
      const written = this.#way.dryRun
        ? await this.#wouldBe(ep, row)
        : await this.#store.transact(importDelivery(wanted, seen, this.#rules()), this.#gateway.ids.uuid());
      if (written.kind === 'applied') {
        this.#deliveries[fate] += 1;
        if (row !== undefined) this.#deliveries.waiting += 1;
        return;
      }
      if (written.kind === 'refused' && written.index === IMPORT_WRITES.gate)
        return this.#leave(
          `deliveries to ${app}/${ep} that wait`,
          'the endpoint is open here',
          `out pause ${app} ${ep}, and import again`,
        );
    }
    throw new OperatorError(`Somebody else changes the delivery of ${msg} to ${ep}: import again`, 'failure');
  }

  async #wouldBe(ep: EndpointId, row: ReadDelivery['row']): Promise<ItemsTransactResult> {
    const runtime = row && (await this.#store.get(runtimeKey(ep), 'consistent'));
    return runtime?.gate === 'open' ? { kind: 'refused', index: IMPORT_WRITES.gate } : { kind: 'applied' };
  }

  #rules() {
    return { now: this.#gateway.clock.now(), retentionMs: this.#retentionMs };
  }

  /** Undefined: it is not here, or goes. */
  #application(app: AppId): Promise<ApplicationItem | undefined> {
    const known = this.#applications.get(app);
    if (known !== undefined) return known;
    const read = this.#store
      .get(applicationKey(app), 'consistent')
      .then(there => (there?.state === 'active' ? there : undefined));
    this.#applications.set(app, read);
    return read;
  }
  #hasEndpoint(app: AppId, ep: EndpointId): Promise<boolean> {
    const known = this.#endpoints.get(ep);
    if (known !== undefined) return known;
    const read = this.#store
      .get(endpointKey(app, ep), 'consistent')
      .then(there => there !== undefined && there.deletedAt === undefined);
    this.#endpoints.set(ep, read);
    return read;
  }

  #leave(what: string, why: string, fix: string): void {
    const key = `${what.replace(/, e\.g\..*/, '')} ${why}`;
    const before = this.#left.get(key);
    this.#left.set(key, { what: before?.what ?? what, why, fix, messages: (before?.messages ?? 0) + 1 });
  }
}
