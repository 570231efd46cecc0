/**
 * Finds what a provider tried to deliver and the store does not have, and heals it through the same door as every event.
 * Running it again changes nothing; a run that dies anywhere is gone on with by the next one.
 */

import { ask } from '#core/ask.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { matches } from '#core/event-type.ts';
import { given } from '#core/given.ts';
import { type EpochMs, type EventPk, type SourceId, toEventId, toEventPk } from '#core/glossary.ts';
import { acceptReconciled } from '#core/inbound/ingest/accept-request.ts';
import type { IngestRules } from '#core/inbound/ingest/ingest-ports.ts';
import type { RecordPorts } from '#core/inbound/ingest/record-and-send.ts';
import type { ControlStore, EventStore } from '#core/inbound/ports.ts';
import { eventKeyOf } from '#core/inbound/protocol/event-key.ts';
import { groupsOf } from '#core/side-by-side.ts';
import { type Asked, patientCaller } from './ask-patiently.ts';
import type { DeliveryApi, DeliveryContent, DeliveryPage, ListedDelivery } from './delivery-api.ts';
import { chooseWindow, type OpenWindow, type Progress, parseProgress, type WindowRules } from './progress.ts';

export interface ReconcilePorts extends Omit<RecordPorts, 'store'> {
  readonly store: RecordPorts['store'] & Pick<EventStore, 'getMany'>;
  readonly control: Pick<ControlStore, 'read' | 'write'>;
}

export interface ReconcileRules extends WindowRules {
  /** Event types the provider delivers here; a final `*` matches any rest. Absent: all that are listed. */
  readonly types?: readonly string[];
  readonly callsPerSecond: number;
  readonly maxPagesPerRun: number;
  /** Look and report; heal nothing, move nothing. */
  readonly dryRun: boolean;
}

/** One list of one source. */
export interface DeliveryList {
  readonly source: ResolvedSource;
  /** Tells the lists of one source apart, e.g. a hook; empty where there is one. */
  readonly name: string;
  readonly api: DeliveryApi;
}

/**
 * `finished`: the window is compared to its end. `out_of_time`, `page_limit`: the next run goes on. `busy`, `refused`,
 * `unavailable`: the provider. `repeats`, `endless`: its list does not end, so the next run begins the window again.
 * `store_unavailable`: ours. `overtaken`: another run of the same list is under way.
 */
type RunEnd =
  | 'finished'
  | 'out_of_time'
  | 'page_limit'
  | 'busy'
  | 'refused'
  | 'unavailable'
  | 'repeats'
  | 'endless'
  | 'store_unavailable'
  | 'overtaken';

export interface ReconcileReport {
  readonly source: SourceId;
  readonly list: string;
  readonly end: RunEnd;
  readonly reason?: string;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly pages: number;
  readonly listed: number;
  /** Events the provider has and the store does not. */
  readonly gaps: readonly string[];
  /** Of these: recorded by this run. */
  readonly healed: number;
  /** Of these: the provider was asked to deliver them again. */
  readonly redelivered: number;
  /** Of these: the provider no longer gives them. */
  readonly lost: readonly string[];
  /** Age of the oldest delivery that may not have been compared yet. */
  readonly behindMs: number;
}

/** A window whose pages this number of runs could not read is a list that does not end. */
const MAX_RUNS_PER_WINDOW = 50;
const IDS_LOGGED = 20;

/** Name of the control item that holds the progress of a list. */
function progressName(source: SourceId, list: string): string {
  return `reconcile-providers#${source}#${list}`;
}

/**
 * One run over one list, at the latest until `until`:
 *  1. read how far the last run came, and choose the window;
 *  2. ask for a page;
 *  3. find what of it the store does not have;
 *  4. heal each: ask for a redelivery where the provider can, else fetch it and let it in;
 *  5. store how far this run came; go on with 2 until the window ends;
 *  6. report.
 */
export async function reconcileDeliveries(
  list: DeliveryList,
  until: EpochMs,
  ports: ReconcilePorts,
  rules: ReconcileRules & IngestRules,
): Promise<ReconcileReport> {
  const run = new ReconcileRun(list, until, ports, rules);
  const { telemetry } = ports;
  const ended = await ask({ telemetry, stage: 'reconcile', fields: { source: list.source.id } }, async () => {
    await run.begin();
    for (;;) {
      const end = await run.readPage();
      if (end) return end;
    }
  });
  return ended.ok
    ? run.report(ended.value.end, ended.value.reason)
    : run.report('store_unavailable', ended.error.message);
}

type End = { readonly end: RunEnd; readonly reason?: string };

class ReconcileRun {
  readonly #list: DeliveryList;
  readonly #ports: ReconcilePorts;
  readonly #rules: ReconcileRules & IngestRules;
  readonly #ask: ReturnType<typeof patientCaller>;
  readonly #name: string;
  #progress: Progress = {};
  #version = 0;
  #window: OpenWindow = { from: 0, to: 0, pages: 0 };
  #pages = 0;
  #listed = 0;
  #healed = 0;
  #redelivered = 0;
  readonly #lost: string[] = [];
  readonly #cursors = new Set<string>();
  /** Events looked at in this run; of several attempts the newest comes first. */
  readonly #seen = new Set<EventPk>();
  readonly #gaps: EventPk[] = [];

  constructor(list: DeliveryList, until: EpochMs, ports: ReconcilePorts, rules: ReconcileRules & IngestRules) {
    this.#list = list;
    this.#ports = ports;
    this.#rules = rules;
    this.#ask = patientCaller(ports, until, rules.callsPerSecond);
    this.#name = progressName(list.source.id, list.name);
  }

  async begin(): Promise<void> {
    const stored = await this.#ports.control.read(this.#name);
    this.#version = stored?.version ?? 0;
    this.#progress = parseProgress(stored?.value);
    this.#window = chooseWindow(this.#progress, this.#ports.clock.now(), this.#rules);
    if (this.#window.cursor !== undefined) this.#cursors.add(this.#window.cursor);
  }

  /** Steps 2 to 5 for one page; answers how the run ended, if it did. */
  async readPage(): Promise<End | undefined> {
    if (this.#pages >= this.#rules.maxPagesPerRun) return { end: 'page_limit' };
    if (this.#window.pages >= this.#rules.maxPagesPerRun * MAX_RUNS_PER_WINDOW) return this.#giveUpWindow('endless');
    const asked = await this.#askForPage();
    if (asked.kind === 'gave_up') return { end: asked.cause, reason: asked.reason };
    if (asked.kind === 'gone') return { end: 'refused', reason: 'the provider does not know this list' };
    this.#pages += 1;
    const { deliveries, next } = asked.value;
    this.#listed += deliveries.length;

    for (const missing of await this.#missingOf(deliveries)) {
      const failure = this.#rules.dryRun ? undefined : await this.#heal(missing);
      if (failure) return failure;
    }

    const isPastWindow = deliveries.length > 0 && deliveries.every(it => it.at < this.#window.from);
    if (next === undefined || isPastWindow) {
      const kept = await this.#keep({ doneUntil: this.#window.to });
      return { end: kept ? 'finished' : 'overtaken' };
    }
    if (this.#cursors.has(next)) return this.#giveUpWindow('repeats');
    this.#cursors.add(next);
    this.#window = { ...this.#window, cursor: next, pages: this.#window.pages + 1 };
    const kept = await this.#keep(given({ doneUntil: this.#progress.doneUntil, window: this.#window }));
    return kept ? undefined : { end: 'overtaken' };
  }

  /**
   * A cursor that an earlier run left may mean nothing any more: where it is refused and the list without it is not, the
   * window begins again. A provider that refuses both refuses more than the cursor, which stays.
   */
  async #askForPage(): Promise<Asked<DeliveryPage>> {
    const { api } = this.#list;
    const { cursor, ...anew } = this.#window;
    const asked = await this.#ask(() => api.list(this.#window, cursor));
    const isRefused = asked.kind === 'gone' || (asked.kind === 'gave_up' && asked.cause === 'refused');
    if (!isRefused || cursor === undefined || this.#pages > 0) return asked;
    const again = await this.#ask(() => api.list(anew, undefined));
    if (again.kind !== 'answered') return asked;
    this.#window = anew;
    this.#cursors.clear();
    return again;
  }

  /** Of each event its newest attempt decides; one that is newer than the window may still be on its way. */
  async #missingOf(deliveries: readonly ListedDelivery[]): Promise<readonly ListedDelivery[]> {
    const { types } = this.#rules;
    const candidates = new Map<EventPk, ListedDelivery>();
    for (const delivery of deliveries) {
      if (types && !types.some(type => matches(type, delivery.eventType))) continue;
      const pk = toEventPk(this.#list.source.id, eventKeyOf(delivery.providerEventId, this.#ports.crypto));
      if (this.#seen.has(pk)) continue;
      this.#seen.add(pk);
      if (delivery.at >= this.#window.from && delivery.at < this.#window.to) candidates.set(pk, delivery);
    }
    const known = new Set<EventPk>();
    for (const pks of groupsOf([...candidates.keys()], 100))
      for (const item of await this.#ports.store.getMany(pks)) known.add(item.pk);
    const missing = [...candidates].filter(([pk]) => !known.has(pk));
    this.#gaps.push(...missing.map(([pk]) => pk));
    return missing.map(([, delivery]) => delivery);
  }

  async #heal(delivery: ListedDelivery): Promise<End | undefined> {
    const { api } = this.#list;
    // A redelivery that did not arrive either: asking once more would not help.
    if (api.redeliver && !delivery.isRedelivery) {
      const asked = await this.#ask(async () => (await api.redeliver?.(delivery)) ?? { kind: 'gone' });
      if (asked.kind === 'gave_up' && asked.cause !== 'refused') return { end: asked.cause, reason: asked.reason };
      if (asked.kind === 'answered') {
        this.#redelivered += 1;
        return undefined;
      }
    }
    const asked =
      delivery.content === undefined
        ? await this.#ask(() => api.fetch(delivery))
        : { kind: 'answered' as const, value: delivery.content };
    if (asked.kind === 'gave_up') return { end: asked.cause, reason: asked.reason };
    if (asked.kind === 'gone') this.#lost.push(delivery.providerEventId);
    return asked.kind === 'answered' ? this.#letIn(delivery, asked.value) : undefined;
  }

  async #letIn(delivery: ListedDelivery, { headers, body }: DeliveryContent): Promise<End | undefined> {
    const request = { method: 'POST', rawQuery: '', headers, body, sourceIp: '' };
    const { source } = this.#list;
    const answer = await acceptReconciled(source, request, delivery.providerEventId, this.#ports, this.#rules);
    if (answer === 'unavailable') return { end: 'store_unavailable', reason: 'an event could not be recorded' };
    if (answer === 'accepted') this.#healed += 1;
    else this.#lost.push(delivery.providerEventId);
    return undefined;
  }

  /** The list does not end: what was found is healed, and the next run begins the window again. */
  async #giveUpWindow(end: 'repeats' | 'endless'): Promise<End> {
    const kept = await this.#keep(given({ doneUntil: this.#progress.doneUntil }));
    return { end: kept ? end : 'overtaken', reason: `the list of ${this.#list.name || 'events'} does not end` };
  }

  async #keep(progress: Progress): Promise<boolean> {
    if (this.#rules.dryRun) return true;
    if (!(await this.#ports.control.write(this.#name, JSON.stringify(progress), this.#version))) return false;
    this.#version += 1;
    this.#progress = progress;
    return true;
  }

  report(end: RunEnd, reason?: string): ReconcileReport {
    const { source, name } = this.#list;
    const now = this.#ports.clock.now();
    const comparedUntil = end === 'finished' ? this.#window.to : (this.#progress.doneUntil ?? this.#window.from);
    const report: ReconcileReport = {
      source: source.id,
      list: name,
      end,
      ...given({ reason }),
      from: this.#window.from,
      to: this.#window.to,
      pages: this.#pages,
      listed: this.#listed,
      gaps: this.#gaps.map(toEventId),
      healed: this.#healed,
      redelivered: this.#redelivered,
      lost: this.#lost,
      behindMs: Math.max(0, now - comparedUntil),
    };
    this.#tell(report);
    return report;
  }

  #tell(report: ReconcileReport): void {
    const { telemetry } = this.#ports;
    const { source } = report;
    if (!this.#rules.dryRun && report.to > 0) telemetry.measure('ReconcileLag', report.behindMs / 1_000, { source });
    if (report.gaps.length > 0) telemetry.count('ReconcileGaps', { source }, report.gaps.length);
    if (report.healed > 0) telemetry.count('ReconcileHealed', { source }, report.healed);
    const isNormal = ['finished', 'page_limit', 'out_of_time'].includes(report.end);
    telemetry.log(isNormal && report.gaps.length === 0 ? 'info' : 'warn', {
      stage: 'reconcile_providers',
      ...report,
      dry_run: this.#rules.dryRun,
      gaps: report.gaps.length,
      missing: report.gaps.slice(0, IDS_LOGGED),
      lost: report.lost.slice(0, IDS_LOGGED),
    });
  }
}
