/** The three questions of a night, as a person picks them in the agent's program. */
import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { outside } from './outside.ts';

export interface Question {
  readonly listed: Prompt;
  /** What the agent is asked; `event` is what the person gave. */
  ask(event: string): string;
}

const EVENT = [{ name: 'event', description: 'its id, as it is known: ours or the sender’s', required: true }];
const END = 'Say what happened, when, and what the person should do, with ids and times. Change nothing.';

/** Of an environment. */
export const OPERATOR_QUESTIONS: readonly Question[] = [
  {
    listed: { name: 'why-did-it-not-arrive', description: 'Why did this event not arrive?', arguments: EVENT },
    ask: event =>
      `Why did the event ${event} not arrive? Call explain with its id. If there is no such event, call refused: its request may have been turned away. Call status: what needs a person may explain it. If it was sent on to a customer, call endpoints. ${END}`,
  },
  {
    listed: { name: 'what-died-and-why', description: 'What died, and why?' },
    ask: () =>
      `What died, and why? Call explain without an id, then with the sample of each large group. Call runbook for dead-letters. Say for each group whether a replay would help, and what has to be repaired before. ${END}`,
  },
  {
    listed: { name: 'whose-webhooks-fail', description: 'Whose webhooks fail?' },
    ask: () =>
      `Whose webhooks fail? Call endpoints, then with app and endpoint for each that is not well. Say whose fault it is: theirs, or ours. ${END}`,
  },
];

/** Of one customer. */
export const CUSTOMER_QUESTIONS: readonly Question[] = [
  {
    listed: { name: 'why-did-it-not-arrive', description: 'Why did this message not arrive?', arguments: EVENT },
    ask: event =>
      `Why did the message ${event} not arrive? Call delivery with its id, then with each endpoint that did not get it. If there is no such message, call deliveries. ${END}`,
  },
  {
    listed: { name: 'what-died-and-why', description: 'What died, and why?' },
    ask: () =>
      `Which deliveries died, and why? Call deliveries with status dead, then delivery with one of each endpoint. Say what has to be repaired at the receiver before they are sent again. ${END}`,
  },
  {
    listed: { name: 'whose-webhooks-fail', description: 'Which of our endpoints fail?' },
    ask: () =>
      `Which of our endpoints fail? Call endpoints, then with endpoint for each that is not well. Say since when, and what it answers. ${END}`,
  },
];

/** The event stands in quotes, cut and without what nobody sees: it may have been copied out of a stranger's mail. */
export function askedBy({ listed, ask }: Question, event = ''): GetPromptResult {
  const text = ask(JSON.stringify(outside(event.replaceAll(/\s+/g, ' '), 300).untrusted));
  return { description: listed.description ?? '', messages: [{ role: 'user', content: { type: 'text', text } }] };
}
