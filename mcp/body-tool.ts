/** Bodies go to somebody's model: only with `--allow bodies`, and each by its id. */
import { number } from '#core/problem.ts';
import { type Caller, messageBody } from '#operator/customers/deliveries.ts';
import { findOne } from '#operator/events/find-one.ts';
import { readStoredBody } from '#operator/events/show-event.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { showRefused } from '#operator/refused/refused.ts';
import { outside } from './outside.ts';
import { anyId, anyText, argument, type Tool, tool, wrong } from './tool.ts';

const MOST = 20_000;
export const most = argument(number(1, MOST, 'characters'), 'at most as many characters; default 4000');

interface BodyArguments {
  readonly event?: string;
  readonly refused?: string;
  readonly app?: string;
  readonly message?: string;
  readonly most?: number;
}

export const bodyTool = (operator: Operator): Tool =>
  tool<BodyArguments>({
    name: 'body',
    about:
      'The body of one event, of one refused request, or of one message to a customer. Give one of event, refused, or app and message.',
    args: {
      event: argument(anyText, "our id (evt_…) or the provider's"),
      refused: argument(anyText, 'its id in the list of refused'),
      app: argument(anyId, 'application: its id, or uid:<uid>'),
      message: argument(anyId, 'msg_…'),
      most,
    },
    async run({ event, refused, app, message, most: size }) {
      const named = [event, refused, message].filter(each => each !== undefined).length;
      if (named !== 1 || (app === undefined) !== (message === undefined))
        throw wrong('event', `${named} ids`, 'event, or refused, or app and message', 'give one of them');
      if (app !== undefined && message !== undefined) return messageView(operator, app, message, size);
      if (refused !== undefined) return bodyView((await showRefused(operator, refused)).body, size);
      const stored = await readStoredBody(operator, await findOne(operator, event ?? '', undefined));
      const headers = Object.entries(stored?.headers ?? {}).map(([name, value]) => outside(`${name}: ${value}`));
      return { headers, ...bodyView(stored?.body, size) };
    },
  });

export async function messageView(caller: Caller, app: string, message: string, size: number | undefined) {
  return bodyView(await messageBody(caller, app, message), size);
}

function bodyView(body: Buffer | undefined, size = 4_000) {
  if (body === undefined)
    throw new OperatorError('Its body is not there: its retention is over, or it was never kept', 'not_found');
  return { bytes: body.length, body: outside(body.toString('utf8'), size) };
}
