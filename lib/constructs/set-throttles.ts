/**
 * The code of the function that sets the throttles of routes during a deploy. One run makes one call after another and
 * repeats what API Gateway refuses for the moment: it answers 409 to a change of an API while another goes on (its own
 * deployment of new routes is one), and 429 above ten calls a second (docs/understand/aws-assumptions.md).
 */
/** Route key to its throttle; CloudFormation hands numbers over as text. */
type Throttles = Readonly<Record<string, { readonly rate: string; readonly burst: string }>>;
interface Properties {
  readonly ApiId: string;
  readonly StageName: string;
  readonly Throttles: Throttles;
}
export interface Change {
  readonly RequestType: 'Create' | 'Update' | 'Delete';
  readonly ResourceProperties: Properties;
  readonly OldResourceProperties?: Properties;
}

/** What is called of API Gateway's control plane. */
export interface StageCalls {
  updateStage(input: object): Promise<unknown>;
  deleteRouteSettings(input: object): Promise<unknown>;
}

const MOST_WAIT_MS = 15_000;
/** Together about four minutes. */
const TRIES = 20;

/**
 * Sets all throttles at once, then takes away those of routes that have none any more: `UpdateStage` adds settings and
 * removes none. Throws the refusal that is for good, or goes on for four minutes.
 */
export async function setThrottles(
  change: Change,
  calls: StageCalls,
  wait: (ms: number) => Promise<unknown>,
): Promise<void> {
  const { ApiId, StageName, Throttles } = change.ResourceProperties;
  const wanted = change.RequestType === 'Delete' ? {} : Throttles;
  const before = change.RequestType === 'Delete' ? Throttles : (change.OldResourceProperties?.Throttles ?? {});
  const RouteSettings = Object.fromEntries(
    Object.entries(wanted).map(([key, { rate, burst }]) => [
      key,
      { ThrottlingRateLimit: Number(rate), ThrottlingBurstLimit: Number(burst) },
    ]),
  );
  if (Object.keys(wanted).length > 0) await repeat(() => calls.updateStage({ ApiId, StageName, RouteSettings }), wait);
  for (const RouteKey of Object.keys(before).filter(key => !(key in wanted)))
    await repeat(() => calls.deleteRouteSettings({ ApiId, StageName, RouteKey }), wait, 'NotFoundException');
}

async function repeat(call: () => Promise<unknown>, wait: (ms: number) => Promise<unknown>, fine = ''): Promise<void> {
  for (let failed = 0; ; failed++) {
    try {
      await call();
      return;
    } catch (error) {
      const { name } = error as Error;
      if (name === fine) return;
      if (!/^(?:Conflict|TooManyRequests|Throttling|Internal|Service)/.test(name) || failed >= TRIES) throw error;
      await wait(Math.min(MOST_WAIT_MS, 500 * 2 ** failed));
    }
  }
}

/** Lambda's own: the client is in its image, and in no bundle. */
declare const require: (name: string) => { readonly ApiGatewayV2: new () => StageCalls };

interface CustomResource extends Change {
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
}

/** Answers CloudFormation, whatever happens: it would wait for an hour. */
export async function handler(event: CustomResource): Promise<void> {
  const { StackId, RequestId, LogicalResourceId, ResourceProperties } = event;
  let outcome: object = { Status: 'SUCCESS' };
  try {
    const { ApiGatewayV2 } = require('@aws-sdk/client-apigatewayv2');
    await setThrottles(event, new ApiGatewayV2(), ms => new Promise(done => setTimeout(done, ms)));
  } catch (error) {
    outcome = { Status: 'FAILED', Reason: String(error) };
  }
  const PhysicalResourceId = `${ResourceProperties.ApiId}-throttles`;
  const body = JSON.stringify({ ...outcome, PhysicalResourceId, StackId, RequestId, LogicalResourceId });
  await fetch(event.ResponseURL, { method: 'PUT', body, headers: { 'content-type': '' } });
}
