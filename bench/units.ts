/** Benchmark (c): what AWS bills for each kind of event, counted by fakes that apply the published rules. */
import { BILL_LINES, type Bill, billPerMillion, totalOf } from '#operator/cost/bill.ts';
import type { CountedUnits } from '#operator/cost/counted-units.ts';
import { PRICES, PRICES_READ_ON } from '#operator/cost/prices.ts';
import { EVENT_KINDS, type EventKind, runScript, SCRIPT, type ScriptResult } from './billing/script.ts';
import { measureDeliveries } from './delivery-units.ts';
import type { Bench, Figure, Section, Table } from './report/section.ts';

const BATCH_SIZES = [10, 3, 1] as const;
const STORED_DAYS = { eventsDays: 30, payloadsDays: 37 };
const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  ok: 'ok event',
  effect: '+ a row of yours in the same transaction',
  unclaimed: 'ok event of a handler with `onlyTransacts`',
  unclaimedEffect: 'the same with a row of yours',
  duplicate: 'duplicate',
  retry: '+ one retry',
  deadLetter: 'dead letter (permanent error)',
  replay: 'replay',
  crash: '+ a crash between put and send',
};

/** Predicted milliseconds of an invocation, until the latency model has run. */
const ASSUMED = { ingestMs: 22, processMs: 30 };

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
  const { ok, duplicate } = atTen.perEvent;
  const total = totalOf(billAtTen);
  const figures: Figure[] = [
    {
      name: 'write units, ok event',
      value: short(ok.writeUnits),
      reference: 'floor of the shape: 2',
      target: '5',
      moonshot: '3',
      reached: ok.writeUnits <= 5,
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
      target: '$6',
      moonshot: '$4.20',
      reached: total <= 6,
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
    method: `The product's own handlers over the in-memory AWS, with every call billed by the published rules: each started KB of the larger of the item before and after, indexes by what changes in them, transactions twice, refused conditional writes too; SQS by 64 KB; HTTP API by 512 KB; logs by byte, the access log included. Items are sized as the adapters marshal them. Script: ${SCRIPT.ok} ok events, ${SCRIPT.duplicates} duplicates, ${SCRIPT.retries} retries, ${SCRIPT.deadLetters} dead letters, ${SCRIPT.replays} replay, ${SCRIPT.crashes} crash between put and send; bodies of ${atTen.bodyBytes} bytes on average (Stripe charge, GitHub push, Shopify order). Deterministic: a second run gives the same numbers. Not counted: the fixed costs of [an idle environment](idle-cost.md), data transfer out, index entries that TTL deletes (free).`,
    figures,
    tables: [kindTable(results), billTable(bills), callTable(atTen), ...deliveries.tables, priceTable()],
    notes: [
      'Index writes of a transaction are billed twice here; the documentation does not say, and this is the dearer reading.',
      'Messages carry their source as `MessageGroupId`, which makes the queue a fair queue: the surcharge is in the SQS line.',
      'A Stripe charge costs five units, a GitHub push with five commits and a Shopify order six: with their dictionaries (docs/decisions/0008) they deflate to 0.8, 1.2 and 0.9 KB, and key, hash, headers and lifetime add 0.2 to 0.4 KB. A payload above the kilobyte costs two.',
      'A duplicate pays for the refused put of the payload (1 or 2) and the refused record (1).',
      'What is left above $6: two thirds of a unit for bodies above a kilobyte ($0.42), one unit each for timeline and claim ($1.25), 37 days of bodies. docs/decisions/0009 says what each would cost to take away.',
      'Log bytes of an ok event: 190 of the access log, 300 of the line of its attempt, the rest metrics.',
      'The sweeper reads each arrival twice, two and twelve minutes later: about two read units for each event, $0.25 per million, which is not in the table.',
      'Storage is 30 days of state and 37 of payload, with 100 bytes overhead for each item and index entry, and point-in-time recovery on both tables.',
      ...deliveries.notes,
    ],
    data: { 'operator/cost/counted-units.json': countedUnitsOf(results) },
    numbers: {
      ...deliveries.numbers,
      okWriteUnits: ok.writeUnits,
      duplicateWriteUnits: duplicate.writeUnits,
      ...Object.fromEntries(
        results.map((it, at) => [`dollarsBatch${it.batchSize}`, cents(totalOf(bills[at] as Bill))]),
      ),
    },
  };
};

/** What the calculator reads: only what is counted, so that a test can compare it. */
export function countedUnitsOf(results: readonly ScriptResult[]): CountedUnits {
  const [first] = results;
  if (!first) throw new RangeError('There is no result to keep');
  const { bodyBytes, bytes, storedBytes } = first;
  const perEvent = Object.fromEntries(results.map(it => [it.batchSize, it.perEvent.ok]));
  return {
    perEvent: perEvent as CountedUnits['perEvent'],
    body: bodyBytes,
    ...bytes,
    eventsStored: Math.round(storedBytes.events),
    payloadsStored: Math.round(storedBytes.payloads),
  };
}

function okBill(
  { batchSize, perEvent, storedBytes }: ScriptResult,
  model: Readonly<Record<string, number>> | undefined,
): Bill {
  const times = {
    memoryGb: 0.5,
    ingestMs: model?.['ingestBilledMs'] ?? ASSUMED.ingestMs,
    processMs: model?.[`processBilledMs${batchSize}`] ?? ASSUMED.processMs,
  };
  const { events: eventsBytes, payloads: payloadsBytes } = storedBytes;
  return billPerMillion(perEvent.ok, times, { eventsBytes, payloadsBytes, ...STORED_DAYS });
}

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
