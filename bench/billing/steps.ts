/** What each step towards a cheaper event would save, by the bill: only what pays for itself is built (docs/decisions/payload-record-and-timeline-are-three-items.md). */
import { PRICES } from '#operator/cost/prices.ts';
import type { Table } from '../report/section.ts';
import { ACCESS_LOG_LINE } from './billed-gateway.ts';
import { drawnBodies, fitOf, sampleBodies } from './one-item.ts';
import type { ScriptResult } from './script.ts';

/** Arrivals that a function reads from the stream together: at a million a day, in a window of a second. */
const ARRIVALS = 12;
/** Share of provisioned capacity that is used where auto scaling aims at 70 % and the load is even. */
const USED = 0.7;
/** Days that a payload lives, and might live instead. */
const DAYS = { now: 37, shorter: 7 };

const { dynamoWriteMillion, dynamoWriteCapacityHour, dynamoStorageGbMonth, dynamoPitrGbMonth } = PRICES;
const STORED_GB_MONTH = dynamoStorageGbMonth.dollars + dynamoPitrGbMonth.dollars;
/** A million writes at an even load, of capacity that is paid by the hour. */
const PROVISIONED_MILLION = (dynamoWriteCapacityHour.dollars * 1e6) / 3_600 / USED;
const PROVISIONED_SAVES = dynamoWriteMillion.dollars - PROVISIONED_MILLION;

interface Step {
  readonly name: string;
  /** Write units of an event that it saves; negative: it costs them. */
  readonly units: number;
  /** Dollars per million events beside those units. */
  readonly beside?: number;
  /** Dollars per million with the cheapest settings, where they are others. */
  readonly cheapest?: number;
  readonly verdict: string;
}

/** The steps, and what they are counted from: calls of the happy path, and what is stored. */
export function stepTable({ perEvent, happyPath, storedBytes }: ScriptResult): Table {
  const dollars = ({ units, beside = 0 }: Step): number => units * dynamoWriteMillion.dollars + beside;
  const rows = stepsOf({ perEvent, happyPath, storedBytes }).map(step => [
    step.name,
    step.units.toFixed(2),
    dollars(step).toFixed(2),
    (step.cheapest ?? dollars(step)).toFixed(2),
    step.verdict,
  ]);
  return {
    title: 'What each step would save, for a million events (negative: it costs more)',
    head: ['step', 'write units of an event', 'dollars as shipped', 'dollars, cheapest settings', 'built?'],
    rows,
  };
}

function stepsOf({
  perEvent,
  happyPath,
  storedBytes,
}: Pick<ScriptResult, 'perEvent' | 'happyPath' | 'storedBytes'>): readonly Step[] {
  const claim = happyPath.find(it => it.call === 'UpdateItem')?.units ?? 0;
  const recordBytes = Math.max(...happyPath.filter(it => it.target === 'events').map(it => it.bytes));
  const now = new Date(0);
  const [drawn, samples] = [fitOf(drawnBodies(300, now), recordBytes), fitOf(sampleBodies(now), recordBytes)];
  const { writeUnits: units, indexUnits } = perEvent.ok;
  const payloadUnits = units - indexUnits - 3;
  const monthsLess = ((DAYS.now - DAYS.shorter) * 12) / 365;
  return [
    {
      name: 'an event that nothing runs for (`ignored`) ends without a claim',
      units: claim,
      verdict: 'built; saved on such events alone',
    },
    {
      name: 'payload and record in one item, where both fit into a kilobyte',
      units: drawn.fit / drawn.of,
      verdict: `no: ${drawn.fit} of ${drawn.of} events of real length fit (median ${drawn.median} bytes deflated), and a third must. The samples in \`providers/samples/\` all do (${samples.fit} of ${samples.of}, median ${samples.median}), but they are shortened`,
    },
    {
      name: `arrivals written together from the stream, ${ARRIVALS} in an item: a second of 1M a day`,
      units: indexUnits - 1 / ARRIVALS,
      beside: -PRICES.lambdaRequestMillion.dollars / ARRIVALS,
      verdict: 'not yet: it pays, see docs/decisions/payload-record-and-timeline-are-three-items.md',
    },
    {
      name: `write capacity by the hour, ${100 * USED} % used: an even load`,
      units: 0,
      beside: units * PROVISIONED_SAVES,
      cheapest: perEvent.unclaimed.writeUnits * PROVISIONED_SAVES,
      verdict: 'not yet: it pays where the load is even',
    },
    {
      name: `bodies of completed events kept ${DAYS.shorter} days instead of ${DAYS.now}`,
      units: -payloadUnits,
      beside: storedBytes.payloads * 1e-3 * monthsLess * STORED_GB_MONTH,
      verdict: 'no: to shorten a lifetime is a write of the item’s size',
    },
    {
      name: 'no access log',
      units: 0,
      beside: (Buffer.byteLength(ACCESS_LOG_LINE) + 1) * 1e-3 * PRICES.logsGb.dollars,
      verdict: 'no: under $0.10, and API Gateway has no log of errors alone',
    },
  ];
}
