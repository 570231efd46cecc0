/** What AWS has billed for what carries a tag, by its Cost Explorer. */
import { type Credentials, signForIam } from '#adapters/aws/sign-for-iam.ts';
import type { SendHttp } from '#operator/http-answer.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { parseJson } from '#operator/parse-json.ts';

/** One, for all regions. */
const URL_OF_AWS = 'https://ce.us-east-1.amazonaws.com/';
const RIGHT = 'ce:GetCostAndUsage';

export interface BilledUsage {
  /** As AWS calls it, e.g. `EUC1-WriteRequestUnits`. */
  readonly usageType: string;
  readonly dollars: number;
  /** In the unit of that type. */
  readonly quantity: number;
}

export interface Billed {
  readonly usage: readonly BilledUsage[];
  /** AWS may still change them. */
  readonly estimated: boolean;
}

interface Asked {
  readonly tag: string;
  readonly value: string;
  /** Whole days (UTC), `2026-11-27`: from the first, up to the second, which is not in it. */
  readonly from: string;
  readonly to: string;
}

interface Answer {
  readonly NextPageToken?: string;
  readonly ResultsByTime?: readonly {
    readonly Estimated?: boolean;
    readonly Groups?: readonly {
      readonly Keys?: readonly string[];
      readonly Metrics?: Readonly<Record<string, { readonly Amount?: string }>>;
    }[];
  }[];
}

export interface CostExplorer {
  readonly http: SendHttp;
  credentials(): Promise<Credentials>;
  now(): number;
  /** @default AWS's own */
  readonly url?: string | undefined;
}

/** Each page of an answer costs $0.01. Throws OperatorError (credentials) for whoever may not, and what AWS says otherwise. */
export async function readBilled(it: CostExplorer, { tag, value, from, to }: Asked): Promise<Billed> {
  const byType = new Map<string, BilledUsage>();
  let estimated = false;
  let NextPageToken: string | undefined;
  do {
    const page: Answer = await ask(it, {
      TimePeriod: { Start: from, End: to },
      Granularity: 'DAILY',
      Metrics: ['UnblendedCost', 'UsageQuantity'],
      Filter: { Tags: { Key: tag, Values: [value] } },
      GroupBy: [{ Type: 'DIMENSION', Key: 'USAGE_TYPE' }],
      ...(NextPageToken && { NextPageToken }),
    });
    for (const { Estimated = false, Groups = [] } of page.ResultsByTime ?? []) {
      estimated ||= Estimated;
      for (const { Keys: [usageType = ''] = [], Metrics = {} } of Groups) {
        const before = byType.get(usageType) ?? { dollars: 0, quantity: 0 };
        const [dollars, quantity] = ['UnblendedCost', 'UsageQuantity'].map(name => Number(Metrics[name]?.Amount ?? 0));
        byType.set(usageType, {
          usageType,
          dollars: before.dollars + (dollars ?? 0),
          quantity: before.quantity + (quantity ?? 0),
        });
      }
    }
    NextPageToken = page.NextPageToken;
  } while (NextPageToken);
  return { usage: [...byType.values()], estimated };
}

async function ask({ http, credentials, now, url: given }: CostExplorer, question: object): Promise<Answer> {
  const url = new URL(given ?? URL_OF_AWS);
  const body = JSON.stringify(question);
  const own = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amz-target': 'AWSInsightsIndexService.GetCostAndUsage',
  };
  const at = { region: 'us-east-1', service: 'ce', now: now() };
  const headers = await signForIam({ method: 'POST', url, body, headers: own }, await credentials(), at);
  const answer = await http(url.href, { method: 'POST', headers, body: new TextEncoder().encode(body) });
  const read = (parseJson(answer.body) ?? {}) as Readonly<Record<string, unknown>>;
  if (answer.status === 200) return read as Answer;
  const kind = String(read['__type'] ?? `status ${answer.status}`).replace(/^.*#/, '');
  const said = String(read['Message'] ?? read['message'] ?? '').slice(0, 300);
  if (kind === 'AccessDeniedException')
    throw new OperatorError(
      `You may not ask Cost Explorer: that needs ${RIGHT}, and in an organization the management account lets its members see costs (${said})`,
      'credentials',
    );
  throw new OperatorError(`Cost Explorer answers ${kind}: ${said}`);
}
