/** Benchmark (c): what AWS bills for each kind of event, counted by fakes that apply the published rules. */
import { type Bill, billPerMillion, totalOf } from '#operator/cost/bill.ts';
import type { CountedUnits } from '#operator/cost/counted-units.ts';
import type { Counts as Billed } from '#operator/cost/counts.ts';
import { PRICES, PRICES_READ_ON } from '#operator/cost/prices.ts';
import { type Bench, type Figure, type Section, type Table, verdictOf } from '../report/section.ts';
import type { Counts } from './counters.ts';
import { measureDeliveries } from './delivery-units.ts';
import { EVENT_KINDS, type EventKind, measureUpkeep, runScript, SCRIPT, type ScriptResult } from './script.ts';
import { stepTable } from './steps.ts';

const BATCH_SIZES = [10, 3, 1] as const;
const STORED_DAYS = { eventsDays: 30, payloadsDays: 37 };
const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  ok: 'ok event',
  effect: '+ a row of yours in the same transaction',
  unclaimed: 'ok event with `onlyTransacts`',
  unclaimedEffect: 'the same with a row of yours',
  ignored: 'event without a handler (`ignored`)',
  duplicate: 'duplicate',
  retry: '+ one retry',
  deadLetter: 'dead letter (permanent error)',
  replay: 'replay',
  crash: '+ a crash between put and send',
};

/** Predicted milliseconds of an invocation, until the latency model has run. */
const ASSUMED = { ingestMs: 22, processMs: 30 };
const RECORD_READS_PRICE = PRICES.dynamoReadMillion.dollars;

export const measureUnits: Bench = async ({ say, known }): Promise<Section> => {
  const results: ScriptResult[] = [];
  for (const batchSize of BATCH_SIZES) {
    say(`  batch ${batchSize}: ${Object.values(SCRIPT).reduce((a, b) => a + b, 0)} events`);
    results.push(await runScript(batchSize));
  }
  const bills = results.map(result => okBill(result, known('f')));
  say('  deliveries to endpoints');
  const deliveries = await measureDeliveries();
  const [atTen] = results as [ScriptResult, ScriptResult, ScriptResult];
  const [billAtTen] = bills as [Bill, Bill, Bill];
  const { ok, unclaimed, duplicate } = atTen.perEvent;
  say('  the sweeper');
  const upkeep = await measureUpkeep(
    Math.max(...atTen.happyPath.filter(it => it.target === 'events').map(it => it.bytes)),
  );
  const whole = wholeTable(results as [ScriptResult, ScriptResult, ScriptResult], upkeep, known('f'));
  const total = totalOf(billAtTen);
  const figures: Figure[] = [
    {
      name: 'write units, ok event',
      value: short(ok.writeUnits),
      reference: 'floor of the shape: 2',
      target: '4 (3)',
      reached: ok.writeUnits <= 4,
    },
    {
      name: 'write units, ok event with `onlyTransacts`',
      value: short(unclaimed.writeUnits),
      reference: `with a claim: ${short(ok.writeUnits)}`,
      target: '4 (3)',
      reached: unclaimed.writeUnits <= 4,
    },
    {
      name: 'write units, duplicate',
      value: `${short(duplicate.writeUnits)}; ${duplicate.sends} sends`,
      reference: `ok event: ${short(ok.writeUnits)}`,
      target: '3, then 1; 0 sends',
      reached: duplicate.writeUnits <= 3 && duplicate.sends === 0,
    },
    {
      name: 'dollars per million ok events, batch 10',
      value: `$${total.toFixed(2)}`,
      reference: 'floor of the shape: $3.30',
      target: '$5.40 ($4.20)',
      reached: total <= 5.4,
    },
    {
      name: 'log bytes, ok event, batch 10',
      value: `${Math.round(ok.logBytes)}`,
      reference: `duplicate: ${Math.round(duplicate.logBytes)}`,
      target: '800',
      reached: ok.logBytes <= 800,
    },
  ];
  return {
    id: 'c',
    title: '(c) Billed units and dollars',
    method: `The product's own handlers over the in-memory AWS, each call billed by the published rules at list prices of us-east-1 (\`operator/cost/prices.ts\`, read on ${PRICES_READ_ON}). Bodies of ${atTen.bodyBytes} bytes on average: Stripe charge, GitHub push, Shopify order. Deterministic. Not counted: [an idle environment](../docs/operate/costs.md), data transfer out.`,
    figures,
    tables: [kindTable(atTen), whole.table, deliveries.table, stepTable(atTen)],
    notes: [
      `${short(ok.writeUnits)} is a mean: a Stripe charge costs five units, a GitHub push and a Shopify order six (a payload above one kilobyte costs two). Index writes of a transaction are counted twice: the documentation does not say.`,
      `At 1M a day a batch is one message; with a window of a second, three. Sweeper and audit read ${short(upkeep.sweep)} and ${short(upkeep.audit)} units for each event. Stored: 30 days of state, 37 of payload, with point-in-time recovery.`,
      'Sending: each delivery succeeds at once; Lambda is billed for an answer of 120 ms and calls of 5 ms.',
    ],
    data: { 'operator/cost/counted-units.json': countedUnitsOf(results, upkeep) },
    numbers: {
      ...deliveries.numbers,
      okWriteUnits: ok.writeUnits,
      dollarsShipped: cents(whole.shipped),
      dollarsTenMillion: cents(whole.tenMillion),
      dollarsCheapest: cents(whole.cheapest),
      duplicateWriteUnits: duplicate.writeUnits,
      dollarsBatch10: cents(total),
    },
  };
};

/** What the calculator reads: only what is counted, so that a test can compare it. */
export function countedUnitsOf(
  results: readonly ScriptResult[],
  upkeepReads: CountedUnits['upkeepReads'],
): CountedUnits {
  const [first] = results;
  if (!first) throw new RangeError('There is no result to keep');
  const { bodyBytes, bytes, storedBytes } = first;
  const perEvent = Object.fromEntries(results.map(it => [it.batchSize, billed(it.perEvent.ok)]));
  const trouble = Object.fromEntries(
    results.map(({ batchSize, perEvent: { duplicate, retry, deadLetter } }) => [
      batchSize,
      { duplicate: billed(duplicate), retry: billed(retry), deadLetter: billed(deadLetter) },
    ]),
  );
  return {
    perEvent: perEvent as CountedUnits['perEvent'],
    trouble: trouble as CountedUnits['trouble'],
    upkeepReads: { sweep: Number(upkeepReads.sweep.toFixed(3)), audit: Number(upkeepReads.audit.toFixed(3)) },
    body: bodyBytes,
    ...bytes,
    eventsStored: Math.round(storedBytes.events),
    payloadsStored: Math.round(storedBytes.payloads),
  };
}

const billed = ({ indexUnits: _index, sends: _sends, ...counts }: Counts): Billed => counts;

function okBill(result: ScriptResult, model: Readonly<Record<string, number>> | undefined): Bill {
  return billOf(result.perEvent.ok, result, model);
}

function billOf(
  counts: Counts,
  { batchSize, storedBytes }: ScriptResult,
  model: Readonly<Record<string, number>> | undefined,
): Bill {
  const times = {
    memoryGb: 0.5,
    ingestMs: model?.['ingestBilledMs'] ?? ASSUMED.ingestMs,
    processMs: model?.[`processBilledMs${batchSize}`] ?? ASSUMED.processMs,
  };
  const { events: eventsBytes, payloads: payloadsBytes } = storedBytes;
  return billPerMillion(counts, times, { eventsBytes, payloadsBytes, ...STORED_DAYS });
}

/** What a million events cost at a million a day, as batches come and with all that reads them afterwards. */
function wholeTable(
  [atTen, atThree, atOne]: readonly [ScriptResult, ScriptResult, ScriptResult],
  upkeep: { readonly sweep: number; readonly audit: number },
  model: Readonly<Record<string, number>> | undefined,
): { table: Table; shipped: number; cheapest: number; tenMillion: number } {
  const reads = (upkeep.sweep + upkeep.audit) * RECORD_READS_PRICE;
  const cost = (result: ScriptResult, kind: 'ok' | 'unclaimed', row: boolean): number => {
    const { ok, effect, unclaimed, unclaimedEffect } = result.perEvent;
    const claimed = row ? sumOf(ok, effect) : ok;
    const counts = kind === 'ok' ? claimed : row ? unclaimedEffect : unclaimed;
    return totalOf(billOf(counts, result, model)) + reads;
  };
  const rows: readonly (readonly [name: string, ScriptResult, 'ok' | 'unclaimed', most?: number])[] = [
    ['as shipped', atOne, 'ok', 7],
    ['`batchingWindowSeconds: 1`', atThree, 'ok'],
    ['and `onlyTransacts`', atThree, 'unclaimed', 6],
    ['the same at 10M a day: batches of ten', atTen, 'unclaimed'],
  ];
  const dollars = rows.map(([, result, kind]) => [cost(result, kind, false), cost(result, kind, true)] as const);
  const [shipped, batches, cheapest] = dollars as [[number, number], [number, number], [number, number]];
  return {
    table: {
      title: 'Dollars per million ok events at 1M a day, sweeper and audit included',
      head: ['', 'bare', 'with a row of yours', 'target'],
      rows: rows.map(([name, , , most], at) => [
        name,
        ...(dollars[at] ?? []).map(it => it.toFixed(2)),
        most === undefined ? '' : verdictOf({ target: `$${most}`, reached: (dollars[at]?.[0] ?? 0) <= most }),
      ]),
    },
    shipped: shipped[0],
    // As shipped, batches of three come by themselves at ten times the rate.
    tenMillion: batches[0],
    cheapest: cheapest[0],
  };
}

/** Of what is billed for a write and nothing else. */
const sumOf = (ok: Counts, effect: Counts): Counts => ({ ...ok, writeUnits: ok.writeUnits + effect.writeUnits });

function kindTable({ perEvent }: ScriptResult): Table {
  return {
    title: 'Billed units of one event, batch 10',
    head: ['', 'write units', 'SQS requests'],
    rows: EVENT_KINDS.map(kind => {
      const { writeUnits, queueRequests } = perEvent[kind];
      return [KIND_NAMES[kind], short(writeUnits), short(queueRequests)];
    }),
  };
}

const short = (value: number): string => String(Math.round(value * 100) / 100);
const cents = (dollars: number): number => Math.round(dollars * 100) / 100;
