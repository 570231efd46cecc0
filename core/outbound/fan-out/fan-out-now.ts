/**
 * Fan-out without a job: publish puts the rows and sends the wake-ups itself, before it answers 202. Rows first, wake-ups
 * second, as ever; whatever goes wrong on the way, the job is sent after all, and puts the same rows.
 */
import { askOrSkip } from '#core/ask.ts';
import type { ItemStore, OutboundPorts } from '#core/outbound/ports.ts';
import type { ApplicationItem, MessageItem } from '#core/outbound/protocol/items.ts';
import type { BodyPorts } from '#core/outbound/publish/message-body.ts';
import type { EndpointsOf } from './endpoints-of.ts';
import { matching, putRows } from './fan-out.ts';
import { wantedThen } from './match-endpoint.ts';
import type { NoteRows } from './note-rows.ts';

export interface FanOutNowPorts extends BodyPorts, Pick<OutboundPorts, 'wake' | 'clock' | 'telemetry'> {
  readonly store: Pick<ItemStore, 'putMany'>;
  readonly endpoints: EndpointsOf;
  readonly noteRows: NoteRows;
}

/** Above it a job is cheaper: one invocation shares its wake-ups among the messages of ten jobs. */
const MOST = 3;

/** True: each endpoint that matches has its row, and its wake-up is accepted. False: the job must do it. */
export async function fanOutNow(
  ports: FanOutNowPorts,
  rules: { readonly retentionMs: number },
  published: { readonly message: MessageItem; readonly application: ApplicationItem; readonly again?: true },
): Promise<boolean> {
  const { wake, telemetry } = ports;
  const { message, application } = published;
  if (message.ref !== undefined) return false;
  const asker = { telemetry, stage: 'fan_out_now', fields: { application: application.id } };
  const done = await askOrSkip(asker, async () => {
    const known = await ports.endpoints(application.id, application);
    const asked = published.again ? known.filter(endpoint => wantedThen(endpoint, message)) : known;
    const wanting = await matching(ports, message, asked);
    if (wanting.length > MOST) return false;
    const woken = await putRows(ports, published, wanting, rules.retentionMs);
    if (woken.length > 0) await wake.send(woken.map(ep => ({ v: 1, ep })));
    return true;
  });
  return done === true;
}
