import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { CliError, EXIT } from '#operator/operator-error.ts';
import { withoutControls } from './output.ts';
import type { Run } from './run.ts';

const MAX_BODY_BYTES = 16 * 1_048_576;

/** What a provider sent: the bytes of the wire and the headers that were kept. Undefined when its retention is over. */
export async function readStoredBody(
  run: Run,
  item: EventItem,
): Promise<{ readonly body: Buffer; readonly headers: Readonly<Record<string, string>> } | undefined> {
  const { payloads, blobs } = await run.gateway();
  const stored = await payloads.getBody(item.pk, item.bodySha);
  const deflated = stored?.bytes ?? (stored?.ref === undefined ? undefined : await blobs.get(stored.ref));
  if (stored === undefined || deflated === undefined) return undefined;
  return { body: Buffer.from(nodeCodec.inflate(deflated, MAX_BODY_BYTES)), headers: stored.headers };
}

/** Prints the body: byte for byte into a pipe; at a terminal nothing that a stranger wrote may steer it. */
export async function showBody(run: Run, item: EventItem): Promise<void> {
  const id = toEventId(item.pk);
  const stored = await readStoredBody(run, item);
  if (stored === undefined)
    throw new CliError(
      `The body of ${id} is gone: its retention is over. Its history stays: leave --body out`,
      EXIT.notFound,
    );
  const { body, headers } = stored;
  if (run.out.json) run.out.result({ id, headers, body_base64: body.toString('base64') }, () => []);
  else if (run.io.stdout.isTTY) run.io.stdout.write(`${withoutControls(body.toString('utf8'))}\n`);
  else run.io.stdout.write(body);
}
