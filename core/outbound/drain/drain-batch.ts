/** One batch of the wake queue: tokens of one endpoint are one, endpoints run side by side and fail alone. */
import { askOrSkip } from '#core/ask.ts';
import type { Token } from '#core/outbound/ports.ts';
import { parseToken } from '#core/outbound/publish/queue-messages.ts';
import type { Invocation } from './drain-ports.ts';
import { handleToken } from './session.ts';
import type { SessionTools } from './session-state.ts';

const NO_TOKEN = 'a message of the queue is no wake-up; it goes to the dead-letter queue';

export interface TokenMessage {
  readonly id: string;
  readonly body: string;
  readonly receipt: string;
}

/** Answers the ids of the messages that must come again. What is no token goes to the dead-letter queue whole. */
export async function drainBatch(
  tools: SessionTools,
  messages: readonly TokenMessage[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const { ports, rules } = tools;
  const failed: string[] = [];
  const byEndpoint = new Map<string, { token: Token; messages: TokenMessage[] }>();
  await Promise.all(
    messages.map(async message => {
      const token = parseToken(message.body);
      if (token === undefined) {
        ports.telemetry.log('error', { stage: 'drain', cause: 'unknown_message', error: NO_TOKEN });
        await ports.dead.send(message.body, 'unknown_message').catch(() => failed.push(message.id));
        return;
      }
      const key = `${token.ep} ${token.mode ?? ''}`;
      const known = byEndpoint.get(key) ?? { token, messages: [] };
      known.messages.push(message);
      byEndpoint.set(key, known);
    }),
  );
  await Promise.all(
    [...byEndpoint.values()].map(async ({ token, messages: copies }) => {
      const asker = { telemetry: ports.telemetry, stage: 'token', fields: { endpoint: token.ep } };
      const end = await askOrSkip(asker, () => handleToken(tools, token, invocation));
      if (end === 'ack') return;
      failed.push(...copies.map(({ id }) => id));
      const seconds = Math.ceil(rules.timings.giveBackMs / 1_000);
      await Promise.all(copies.map(({ receipt }) => ports.receipts.hide(receipt, seconds)));
    }),
  );
  return failed;
}
