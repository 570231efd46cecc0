/** One batch of the wake queue: wake-ups of one endpoint are one, endpoints run side by side and fail alone. */
import { askOrSkip } from '#core/ask.ts';
import type { WakeUp } from '#core/outbound/ports.ts';
import { parseWakeUp } from '#core/outbound/publish/queue-messages.ts';
import type { Invocation } from './drain-ports.ts';
import { handleWakeUp } from './session.ts';
import type { SessionTools } from './session-state.ts';

const NO_WAKE_UP = 'a message of the queue is no wake-up; it goes to the dead-letter queue';

export interface WakeUpMessage {
  readonly id: string;
  readonly body: string;
  readonly receipt: string;
}

/** Answers the ids of the messages that must come again. What is no wake-up goes to the dead-letter queue whole. */
export async function drainBatch(
  tools: SessionTools,
  messages: readonly WakeUpMessage[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const { ports, rules } = tools;
  const failed: string[] = [];
  const byEndpoint = new Map<string, { wakeUp: WakeUp; messages: WakeUpMessage[] }>();
  await Promise.all(
    messages.map(async message => {
      const wakeUp = parseWakeUp(message.body);
      if (wakeUp === undefined) {
        ports.telemetry.log('error', { stage: 'drain', cause: 'unknown_message', error: NO_WAKE_UP });
        await ports.dead.send(message.body, 'unknown_message').catch(() => failed.push(message.id));
        return;
      }
      const key = `${wakeUp.ep} ${wakeUp.mode ?? ''}`;
      const known = byEndpoint.get(key) ?? { wakeUp, messages: [] };
      known.messages.push(message);
      byEndpoint.set(key, known);
    }),
  );
  await Promise.all(
    [...byEndpoint.values()].map(async ({ wakeUp, messages: copies }) => {
      const asker = { telemetry: ports.telemetry, stage: 'wake_up', fields: { endpoint: wakeUp.ep } };
      const end = await askOrSkip(asker, () => handleWakeUp(tools, wakeUp, invocation));
      if (end === 'ack') return;
      failed.push(...copies.map(({ id }) => id));
      const seconds = Math.ceil(rules.timings.giveBackMs / 1_000);
      await Promise.all(copies.map(({ receipt }) => ports.receipts.hide(receipt, seconds)));
    }),
  );
  return failed;
}
