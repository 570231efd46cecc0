import { toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { readStoredBody } from '#operator/events/show-event.ts';
import { OperatorError } from './cli-error.ts';
import { withoutControls } from './output.ts';
import type { Run } from './run.ts';

/** Prints the body: byte for byte into a pipe; at a terminal nothing that a stranger wrote may steer it. */
export async function showBody(run: Run, item: EventItem): Promise<void> {
  const id = toEventId(item.pk);
  const stored = await readStoredBody(run, item);
  if (stored === undefined)
    throw new OperatorError(
      `The body of ${id} is gone: its retention is over. To see its history, leave --body out`,
      'not_found',
    );
  const { body, headers } = stored;
  if (run.out.json) run.out.result({ id, headers, body_base64: body.toString('base64') }, () => []);
  else if (run.io.stdout.isTTY) run.io.stdout.write(`${withoutControls(body.toString('utf8'))}\n`);
  else run.io.stdout.write(body);
}
