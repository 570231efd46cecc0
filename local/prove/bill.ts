/** `holdfast prove --bill`: what AWS billed for a run, beside what `holdfast cost` predicts for as many events and deliveries. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, HOUR_MS, toIso } from '#core/time.ts';
import { UserError } from '#local/shell/user-error.ts';
import { PROVE_TAG } from '#local/shell/workspace.ts';
import { type BilledUsage, type CostExplorer, readBilled } from '#operator/aws/cost-explorer.ts';
import { deliveryBill } from '#operator/cost/delivery-bill.ts';
import { predictCost } from '#operator/cost/predict-cost.ts';
import { countedDelivery } from '#operator/cost/predict-deliveries.ts';
import { DAYS_PER_MONTH, PRICES } from '#operator/cost/prices.ts';
import { BODY_BYTES, FIXED, PROVE_MILLION } from './guard.ts';

/** What a run leaves behind beside its report. */
export interface RunRecord {
  readonly environment: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly requests: number;
  /** Messages times endpoints. */
  readonly deliveries: number;
  readonly emulated: boolean;
}

/** When Cost Explorer has a day, at the earliest. */
const LATE_MS = DAY_MS;

interface Row {
  readonly what: string;
  readonly predictedDollars: number;
  readonly billedDollars: number;
  /** Absent: this line has more than one unit. */
  readonly predictedUnits?: number;
  readonly measuredUnits: number;
}

export interface BillFindings {
  readonly from: string;
  readonly to: string;
  /** Of this machine, in those days. */
  readonly runs: number;
  readonly rows: readonly Row[];
  /** Billed under other names, the largest first. */
  readonly others: readonly BilledUsage[];
  readonly predicted: number;
  readonly billed: number;
  readonly estimated: boolean;
}

/** The lines that AWS bills by a name of their own, as `holdfast cost` calls them; `unit`: dollars of one. */
const LINES: readonly { readonly what: string; readonly usage: RegExp; readonly unit?: number }[] = [
  { what: 'API', usage: /ApiGatewayHttpRequest$/, unit: PRICES.httpApiMillion.dollars / 1e6 },
  { what: 'Lambda', usage: /Lambda-GB-Second|(?:^|-)Request(?:-ARM)?$/ },
  { what: 'DynamoDB writes', usage: /WriteRequestUnits$/, unit: PRICES.dynamoWriteMillion.dollars / 1e6 },
  { what: 'DynamoDB reads', usage: /ReadRequestUnits$/, unit: PRICES.dynamoReadMillion.dollars / 1e6 },
  { what: 'SQS', usage: /Requests-(?:Tier|RBP|FairQueue)/ },
  { what: 'Logs', usage: /DataProcessing-Bytes|VendedLog/ },
];

/** The endpoints of one message: five of a customer. Counted were 1 and 20. */
const FAN_OUT = 1;

/** Dollars by line, of what is used within an hour: nothing is stored for longer. */
export function predictedLines({
  requests,
  deliveries,
}: Pick<RunRecord, 'requests' | 'deliveries'>): ReadonlyMap<string, number> {
  const month = predictCost(1e6, BODY_BYTES, 'none').lines;
  const sending: Readonly<Record<string, number>> = deliveryBill(countedDelivery(FAN_OUT));
  const dollarsOf = (what: string): number => {
    const receiving = (month.find(({ item }) => item === what)?.dollars ?? 0) / (1e6 * DAYS_PER_MONTH);
    const compared = what === 'DynamoDB reads' ? (sending['comparing (tend)'] ?? 0) : 0;
    return requests * receiving + (deliveries * ((sending[what] ?? 0) + compared)) / 1e6;
  };
  const own = (what: string): number => (what === 'Lambda' ? (requests * PROVE_MILLION) / 1e6 : 0);
  return new Map(LINES.map(({ what }) => [what, dollarsOf(what) + own(what)]));
}

/** The newest run in an account of this environment on this machine, and how many there were in its days. Throws UserError where there is none. */
export async function lastRun(folder: string, environment: string): Promise<{ run: RunRecord; runs: number }> {
  const files = (await readdir(folder).catch(() => [])).filter(file => file.endsWith('.json'));
  const read = async (file: string): Promise<RunRecord> => JSON.parse(await readFile(join(folder, file), 'utf8'));
  const all = (await Promise.all(files.map(read))).filter(it => !it.emulated);
  const run = all
    .filter(it => it.environment === environment)
    .reduce<RunRecord | undefined>((last, it) => (last && last.startedAt > it.startedAt ? last : it), undefined);
  if (run === undefined)
    throw new UserError(
      `No run of ${environment} in an account is kept here (${folder}): ask on the machine that ran it, or run holdfast prove --env ${environment} first`,
    );
  const { from, to } = daysOf(run);
  const runs = all.filter(it => daysOf(it).from < to && daysOf(it).to > from).length;
  return { run, runs };
}

const dayOf = (at: number): string => toIso(at).slice(0, 10);
const daysOf = ({ startedAt, endedAt }: RunRecord) => ({ from: dayOf(startedAt), to: dayOf(endedAt + DAY_MS) });

/** Throws UserError before a question that would come too early: each costs $0.01. */
export async function compareBill(
  costs: CostExplorer,
  { run, runs }: { readonly run: RunRecord; readonly runs: number },
): Promise<BillFindings> {
  const { from, to } = daysOf(run);
  const ready = run.endedAt + LATE_MS;
  if (costs.now() < ready)
    throw new UserError(
      `Cost Explorer's figures are a day late: ask again in ${Math.ceil((ready - costs.now()) / HOUR_MS)} hours. Nothing was asked, as each question costs $0.01.`,
    );
  const { usage, estimated } = await readBilled(costs, { tag: PROVE_TAG, value: 'yes', from, to });
  if (usage.length === 0)
    throw new UserError(
      `Cost Explorer has nothing under the tag ${PROVE_TAG} from ${from} up to ${to}. Activate that tag for cost allocation (Billing and Cost Management, Cost allocation tags; in an organization its management account), which takes a day and counts only what is used from then on. Then run holdfast prove again.`,
    );
  const predicted = predictedLines(run);
  const rows = LINES.map(({ what, usage: pattern, unit }) => {
    const found = usage.filter(({ usageType }) => pattern.test(usageType));
    const predictedDollars = predicted.get(what) ?? 0;
    return {
      what,
      predictedDollars,
      billedDollars: sumOf(found.map(({ dollars }) => dollars)),
      ...(unit !== undefined && { predictedUnits: Math.round(predictedDollars / unit) }),
      measuredUnits: unit === undefined ? 0 : Math.round(sumOf(found.map(({ quantity }) => quantity))),
    };
  });
  const others = usage.filter(({ usageType }) => !LINES.some(({ usage: pattern }) => pattern.test(usageType)));
  return {
    ...{ from, to, runs, rows, estimated },
    others: others.toSorted((a, b) => b.dollars - a.dollars),
    predicted: sumOf([...predicted.values()]) + FIXED,
    billed: sumOf(usage.map(({ dollars }) => dollars)),
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, it) => sum + it, 0);

/** Less than a cent is no zero. */
export function cents(dollars: number): string {
  return dollars > 0 && dollars < 0.01 ? 'less than $0.01' : `$${dollars.toFixed(2)}`;
}

export function billLines(it: BillFindings): readonly string[] {
  const units = ({ predictedUnits, measuredUnits }: Row): string =>
    predictedUnits === undefined
      ? ''
      : `; units: predicted ${predictedUnits.toLocaleString('en')}, measured ${measuredUnits.toLocaleString('en')}`;
  const rest = it.others.filter(({ dollars }) => dollars > 0).slice(0, 5);
  return [
    `predicted ${cents(it.predicted)}, billed ${cents(it.billed)} from ${it.from} up to ${it.to}${it.estimated ? ', as AWS estimates it so far' : ''}`,
    ...it.rows.map(
      row => `  ${row.what}: predicted ${cents(row.predictedDollars)}, billed ${cents(row.billedDollars)}${units(row)}`,
    ),
    `  everything else: predicted ${cents(FIXED)}, billed ${cents(sumOf(it.others.map(({ dollars }) => dollars)))}${rest.length === 0 ? '' : ` (${rest.map(({ usageType, dollars }) => `${usageType} ${cents(dollars)}`).join(', ')})`}`,
    ...(it.runs > 1
      ? [`These are whole days, with ${it.runs} runs of this machine in them; the prediction is of the last.`]
      : []),
    'What carries no tag is in no figure: metrics of your own, data that leaves AWS.',
  ];
}
