/** Benchmark (c): what AWS bills for each kind of event, counted by fakes that apply the published rules. */
import { BILL_LINES, type Bill, billPerMillion, totalOf } from '#operator/cost/bill.ts';
import type { CountedUnits } from '#operator/cost/counted-units.ts';
import type { Counts } from '#operator/cost/counts.ts';
import { PRICES, PRICES_READ_ON } from '#operator/cost/prices.ts';
import type { Bench, Figure, Section, Table } from '../report/section.ts';
import { measureDeliveries } from './delivery-units.ts';
import { EVENT_KINDS, type EventKind, measureUpkeep, runScript, SCRIPT, type ScriptResult } from './script.ts';
import { stepTable } from './steps.ts';

const BATCH_SIZES = [10, 3, 1] as const;
const STORED_DAYS = { eventsDays: 30, payloadsDays: 37 };
const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  ok: 'ok event',
  effect: '+ a row of yours in the same transaction',
  unclaimed: 'ok event of a handler with `onlyTransacts`',
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
  const { ok, effect, unclaimed, unclaimedEffect, duplicate } = atTen.perEvent;
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
      target: '4 (docs/decisions/payload-record-and-timeline-are-three-items.md)',
      moonshot: '3',
      reached: ok.writeUnits <= 4,
    },
    {
      name: 'write units, ok event of a handler with `onlyTransacts`',
      value: short(unclaimed.writeUnits),
      reference: `with a claim: ${short(ok.writeUnits)}`,
      target: '4 (docs/decisions/payload-record-and-timeline-are-three-items.md)',
      moonshot: '3',
      reached: unclaimed.writeUnits <= 4,
    },
    {
      name: 'write units, ok event with a row of yours in the same transaction',
      value: short(ok.writeUnits + effect.writeUnits),
      reference: `with \`onlyTransacts\`: ${short(unclaimedEffect.writeUnits)}; of them for the row itself: 2`,
    },
    {
      name: 'write units, duplicate',
      value: `${short(duplicate.writeUnits)}; ${duplicate.sends} sends`,
      reference: `ok event: ${short(ok.writeUnits)}`,
      target: '3, then 1; 0 sends',
      reached: duplicate.writeUnits <= 3 && duplicate.sends === 0,
    },
    {
      name: 'dollars per million ok events, batch 10 (predicted)',
      value: `$${total.toFixed(2)}`,
      reference: 'floor of the shape: $3.30',
      target: '$5.40 (docs/decisions/payload-record-and-timeline-are-three-items.md)',
      moonshot: '$4.20',
      reached: total <= 5.4,
    },
    {
      name: 'dollars per million at 1M a day as shipped: bare; with a row of yours (predicted)',
      value: `$${whole.shipped.toFixed(2)}; $${whole.shippedRow.toFixed(2)}`,
      reference: 'batches of one, sweeper and nightly audit',
      target: '$7 (docs/decisions/payload-record-and-timeline-are-three-items.md)',
      reached: whole.shipped <= 7,
    },
    {
      name: 'dollars per million at 1M a day, cheapest settings: bare; with a row of yours (predicted)',
      value: `$${whole.cheapest.toFixed(2)}; $${whole.cheapestRow.toFixed(2)}`,
      reference: '`onlyTransacts`, `batchingWindowSeconds: 1`',
      target: '$6 (docs/decisions/payload-record-and-timeline-are-three-items.md)',
      reached: whole.cheapest <= 6,
    },
    {
      name: 'SQS requests, ok event, batch 10',
      value: `${ok.queueRequests}`,
      reference: 'send + receive/10 + delete/10',
      target: '1.2',
      reached: ok.queueRequests <= 1.21,
    },
    {
      name: 'log bytes, ok event, batch 10',
      value: `${Math.round(ok.logBytes)}`,
      reference: `duplicate: ${Math.round(duplicate.logBytes)}`,
      target: '800',
      reached: ok.logBytes <= 800,
    },
    ...deliveries.figures,
  ];
  return {
    id: 'c',
    title: '(c) Billed units and dollars',
    method: `The product's own handlers over the in-memory AWS, with every call billed by the published rules: each started KB of the larger of the item before and after, indexes by what changes in them, transactions twice, refused conditional writes too; SQS by 64 KB; HTTP API by 512 KB; logs by byte, the access log included. Items have the size that the adapters write. Script: ${SCRIPT.ok} ok events, ${SCRIPT.duplicates} duplicates, ${SCRIPT.retries} retries, ${SCRIPT.deadLetters} dead letters, ${SCRIPT.replays} replay, ${SCRIPT.crashes} crash between put and send; bodies of ${atTen.bodyBytes} bytes on average (Stripe charge, GitHub push, Shopify order). Deterministic: a second run gives the same numbers. Not counted: the fixed costs of [an idle environment](idle-cost.md), data transfer out, index entries that TTL deletes (free).`,
    figures,
    tables: [
      kindTable(results),
      billTable(bills),
      whole.table,
      stepTable(atTen),
      callTable(atTen),
      ...deliveries.tables,
      priceTable(),
    ],
    notes: [
      'Index writes of a transaction are counted twice here. The documentation does not say whether AWS does that, and this is the higher price.',
      'Messages carry their source as `MessageGroupId`, which makes the queue a fair queue: the surcharge is in the SQS line.',
      'A Stripe charge costs five units, a GitHub push with five commits and a Shopify order six: with their dictionaries (docs/decisions/bodies-are-packed-with-a-providers-dictionary.md) they deflate to 0.8, 1.2 and 0.9 KB, and key, hash, headers and lifetime add 0.2 to 0.4 KB. A payload above one kilobyte costs two.',
      'A duplicate pays for the refused put of the payload (1 or 2) and the refused record (1).',
      'The price is above $5.40 because of two thirds of a unit for bodies above one kilobyte ($0.42), one unit each for timeline and claim ($1.25), and 37 days of bodies. docs/decisions/payload-record-and-timeline-are-three-items.md says what it would cost to remove each of these.',
      'Log bytes of an ok event: 190 in the access log, 300 in the line of its attempt, and the rest are metrics.',
      `The sweeper reads each arrival twice, two and twelve minutes later, and the nightly audit reads each record thirty times: ${short(upkeep.sweep)} and ${short(upkeep.audit)} read units for each event.`,
      'Batches at 1M a day hold one message with window 0; with a window of a second the pollers share 12 messages, so a batch of three is counted. An event then waits up to a second longer.',
      'Storage is 30 days of state and 37 of payload, with 100 bytes overhead for each item and index entry, and point-in-time recovery on both tables.',
      ...deliveries.notes,
    ],
    data: { 'operator/cost/counted-units.json': countedUnitsOf(results, upkeep) },
    numbers: {
      ...deliveries.numbers,
      okWriteUnits: ok.writeUnits,
      unclaimedWriteUnits: unclaimed.writeUnits,
      dollarsShipped: cents(whole.shipped),
      dollarsTenMillion: cents(whole.tenMillion),
      dollarsCheapest: cents(whole.cheapest),
      duplicateWriteUnits: duplicate.writeUnits,
      ...Object.fromEntries(
        results.map((it, at) => [`dollarsBatch${it.batchSize}`, cents(totalOf(bills[at] as Bill))]),
      ),
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
  const perEvent = Object.fromEntries(results.map(it => [it.batchSize, it.perEvent.ok]));
  const trouble = Object.fromEntries(
    results.map(({ batchSize, perEvent: { duplicate, retry, deadLetter } }) => [
      batchSize,
      { duplicate, retry, deadLetter },
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
): { table: Table; shipped: number; shippedRow: number; cheapest: number; cheapestRow: number; tenMillion: number } {
  const reads = (upkeep.sweep + upkeep.audit) * RECORD_READS_PRICE;
  const cost = (result: ScriptResult, kind: 'ok' | 'unclaimed', row: boolean): number => {
    const { ok, effect, unclaimed, unclaimedEffect } = result.perEvent;
    const claimed = row ? sumOf(ok, effect) : ok;
    const counts = kind === 'ok' ? claimed : row ? unclaimedEffect : unclaimed;
    return totalOf(billOf(counts, result, model)) + reads;
  };
  const rows = [
    ['as shipped', atOne, 'ok'],
    ['`batchingWindowSeconds: 1`', atThree, 'ok'],
    ['and `onlyTransacts`', atThree, 'unclaimed'],
    ['the same at 10M a day: batches of ten', atTen, 'unclaimed'],
  ] as const;
  const dollars = rows.map(([, result, kind]) => [cost(result, kind, false), cost(result, kind, true)] as const);
  const [shipped, batches, cheapest] = dollars as [[number, number], [number, number], [number, number]];
  return {
    table: {
      title: 'Dollars per million ok events at 1M a day, sweeper and nightly audit included, predicted',
      head: ['', 'bare', 'with a row of yours'],
      rows: rows.map(([name], at) => [name, ...(dollars[at] ?? []).map(it => it.toFixed(2))]),
    },
    shipped: shipped[0],
    shippedRow: shipped[1],
    // As shipped, batches of three come by themselves at ten times the rate.
    tenMillion: batches[0],
    cheapest: cheapest[0],
    cheapestRow: cheapest[1],
  };
}

/** Of what is billed for a write and nothing else. */
const sumOf = (ok: Counts, effect: Counts): Counts => ({ ...ok, writeUnits: ok.writeUnits + effect.writeUnits });

function kindTable([atTen, ...others]: readonly ScriptResult[]): Table {
  if (!atTen) throw new RangeError('There is no result to show');
  const row = (kind: EventKind): string[] => {
    const it = atTen.perEvent[kind];
    const requests = [atTen, ...others].map(each => short(each.perEvent[kind].queueRequests)).join(' / ');
    const invocations = `${short(it.invocations.ingest)} + ${short(it.invocations.process)}`;
    return [
      KIND_NAMES[kind],
      short(it.writeUnits),
      short(it.indexUnits),
      short(it.readUnits),
      requests,
      short(it.sends),
      invocations,
      String(Math.round(it.logBytes)),
    ];
  };
  return {
    title: 'Billed units of one event, batch 10 (SQS requests: batch 10 / 3 / 1)',
    head: [
      '',
      'write units',
      'of them in indexes',
      'read units',
      'SQS requests',
      'sends',
      'invocations (ingest + process)',
      'log bytes',
    ],
    rows: EVENT_KINDS.map(row),
  };
}

function billTable(bills: readonly Bill[]): Table {
  const row = (name: string, values: readonly number[]): string[] => [name, ...values.map(value => value.toFixed(2))];
  return {
    title: 'Dollars per million ok events, predicted',
    head: ['', ...BATCH_SIZES.map(size => `batch ${size}`)],
    rows: [
      ...BILL_LINES.map(line =>
        row(
          line,
          bills.map(it => it[line]),
        ),
      ),
      row('**together**', bills.map(totalOf)),
    ],
  };
}

function callTable({ happyPath }: ScriptResult): Table {
  return {
    title: 'The calls of one ok event alone in its batch',
    head: ['call', 'on', 'units', 'of them in indexes', 'bytes'],
    rows: happyPath.map(it => [it.call, it.target, String(it.units), String(it.indexUnits), String(it.bytes)]),
  };
}

function priceTable(): Table {
  return {
    title: `List prices, us-east-1, without free tier, read on ${PRICES_READ_ON}`,
    head: ['$', 'per', 'source'],
    rows: Object.values(PRICES).map(it => [String(it.dollars), it.per, it.source]),
  };
}

const short = (value: number): string => String(Math.round(value * 100) / 100);
const cents = (dollars: number): number => Math.round(dollars * 100) / 100;
