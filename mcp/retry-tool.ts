/** Send deliveries again: of an operator for any customer, of a customer for itself. */
import { randomUUID } from 'node:crypto';
import { number } from '#core/problem.ts';
import {
  type Caller,
  type Delivery,
  deliveriesOf,
  listDeliveries,
  listEndpoints,
  retryDelivery,
} from '#operator/customers/deliveries.ts';
import { explainError } from '#operator/explain-error.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { type Acting, CONFIRM, REASON, recordedReason } from './act-tools.ts';
import type { Plan } from './confirmations.ts';
import { deliveryView } from './delivery-views.ts';
import { handle, type Outside, outside } from './outside.ts';
import { anyId, argument, type Tool, tool, wrong } from './tool.ts';

export interface RetryArguments {
  readonly app: string;
  readonly endpoint: string;
  readonly message?: string;
  readonly limit?: number;
  readonly why: string;
  readonly confirm?: string;
}

export const RETRY_ARGUMENTS = (most: number) => ({
  endpoint: argument(anyId, 'its id, ep_…'),
  message: argument(anyId, 'msg_…; without it all that is dead at the endpoint'),
  limit: argument(number(1, most, 'deliveries'), 'without message: only the newest so many'),
  why: REASON,
  confirm: CONFIRM,
});

export const retryTool = (operator: Caller, { confirmations, limit: most }: Acting): Tool =>
  tool<RetryArguments>({
    name: 'retry',
    about: `Send again, with the same webhook-id, one message to one endpoint, or what is dead at the endpoint, at most ${most} in a call. The first call is a dry run.`,
    args: { app: argument(anyId, 'application: its id, or uid:<uid>'), ...RETRY_ARGUMENTS(most) },
    required: ['app', 'endpoint', 'why'],
    acts: true,
    run: (args, signal) => confirmations.run('retry', args, signal, () => planRetry(operator, most, args)),
  });

export async function planRetry(caller: Caller, most: number, args: RetryArguments): Promise<Plan> {
  const why = recordedReason(args.why);
  const found = await meantDeliveries(caller, most, args);
  const would = { retry: found.length, deliveries: found.slice(0, 10).map(deliveryView) };
  if (found.length === 0) return { would };
  // The same wish each time: a call that is cut off and repeated sends nothing twice.
  const wishes = found.map(delivery => ({ delivery, requestId: randomUUID() }));
  return { would, act: signal => retryAll(caller, args.app, wishes, why, signal) };
}

async function meantDeliveries(
  caller: Caller,
  most: number,
  { app, endpoint: ep, message, limit }: RetryArguments,
): Promise<readonly Delivery[]> {
  if (message !== undefined) {
    const found = await oneOf(caller, app, ep, message);
    if (found === undefined) throw new OperatorError(`${message} was not for ${ep}`, 'not_found');
    return [found];
  }
  const found = await listDeliveries(caller, { app, ep }, { status: 'dead', limit: limit ?? most + 1 });
  if (found.length <= most) return found;
  throw wrong(
    'limit',
    'more dead deliveries',
    `at most ${most} in a call`,
    `add limit: ${most}, and call again for the others`,
  );
}

/** By the endpoint's id; by its `uid:` the list of the endpoint says which that is. */
async function oneOf(caller: Caller, app: string, ep: string, message: string): Promise<Delivery | undefined> {
  const all = await deliveriesOf(caller, app, message);
  if (!ep.startsWith('uid:')) return all.find(each => each.endpoint === ep);
  const endpoints = await listEndpoints(caller, app);
  const id = endpoints.find(each => `uid:${each.uid}` === ep)?.id;
  return all.find(each => each.endpoint === id);
}

interface Wish {
  readonly delivery: Delivery;
  readonly requestId: string;
}

/** Each as the dry run found it: one that was sent again or delivered since is left alone. */
async function retryAll(caller: Caller, app: string, wishes: readonly Wish[], why: string, signal: AbortSignal) {
  const left: { readonly message: Outside; readonly outcome: string; readonly why?: Outside }[] = [];
  for (const { delivery, requestId } of wishes) {
    const { message: id, endpoint: ep } = delivery;
    const message = handle(id);
    if (signal.aborted) left.push({ message, outcome: 'not_reached' });
    else
      try {
        const now = await oneOf(caller, app, ep, id);
        if (now?.status !== delivery.status || now.generation !== delivery.generation)
          left.push({ message, outcome: 'changed' });
        else await retryDelivery(caller, { app, ep, message: id }, { why, requestId });
      } catch (error) {
        left.push({ message, outcome: 'refused', why: outside(explainError(error).message) });
      }
  }
  return { retried: wishes.length - left.length, not_retried: left };
}
