/**
 * The terminal recording in cli-recording.txt: what on-call does with a poison event, run on the real stacks and written down.
 * `npm run docs:cli` writes it; the long suite runs it again and compares.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { toSourceId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { runOnAws } from './cli-on-aws.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';

export const RECORDING = 'test/e2e/cli-recording.txt';

/** Runs the story and answers it as text, with ids, times and addresses masked. */
export async function recordCli(gateway: GatewayUnderTest): Promise<string> {
  const lines: string[] = [];
  const type = async (command: string, options: { stdin?: string } = {}): Promise<void> => {
    let printed = '';
    const { code } = await runOnAws(gateway, wordsOf(command), { ...options, onOutput: text => (printed += text) });
    const end = code === 0 ? [] : [`(exit code ${code})`];
    lines.push(`$ holdfast ${command}`, ...withoutHaste(printed.trimEnd().split('\n')), ...end, '');
  };
  const say = (text: string): void => void lines.push(`# ${text}`);

  say('What is received here, and a signed sample through the front door.');
  await type('sources ls');
  await type('send stripe --wait 60');
  await type('events ls --source stripe');
  await type(`events get ${await idOf(gateway, 'stripe')}`);

  say('Three events come in that a handler cannot take. The page names one; this is the rest.');
  await type('send default --type test.schema_new --count 3');
  await untilDead(gateway, 3);
  await type('status');
  await type('dlq ls');
  await type(`events get ${await idOf(gateway, 'default')}`);

  say('The handler is fixed and deployed. How many would run again, and then: run them again.');
  await fix(gateway);
  await type('replay --cause schema --since 6h --dry-run');
  await type('replay --cause schema --since 6h --why "schema fixed in v42" --yes');
  await untilDead(gateway, 0);
  await type('dlq ls');
  await type('events ls --source default');
  await type('replay ls');

  say('A migration: hold the events of one source back for a while.');
  await type('pause github --why "ledger is being migrated" --yes');
  await type('resume github');

  say('Why is this request refused?');
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-recording-'));
  const body = join(directory, 'body.json');
  await writeFile(body, '{"event_id":"e1","event_type":"ping"}');
  const signed = await runOnAws(gateway, ['sign', body, '--source', 'default', '--json']);
  await rm(directory, { recursive: true });
  const { headers } = JSON.parse(signed.stdout) as { headers: Readonly<Record<string, string>> };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const request = `POST /webhooks/default HTTP/1.1\n${head.join('')}\n{"event_id": "e1", "event_type": "ping"}`;
  await type('verify - --source default', { stdin: request });

  say('Wrong input is answered with what is allowed.');
  await type('events ls --source strip');
  await type('doctor');
  return mask(lines.join('\n'), gateway.aws.endpoint).trimEnd();
}

/**
 * What must be the same in every recording: words, not numbers, ids or the width of columns; and whether the message was
 * noted as sent before the first attempt began is a race.
 */
export function wordsIn(recording: string): readonly string[] {
  return recording
    .split('\n')
    .map(line =>
      line
        .replaceAll(/\d+(?:\.\d+)?(?: (?:ms|s|min|h))?/g, 'N')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter(line => !/^N[-N:T.Z]* \+N queued$/.test(line));
}

/** Words of a command line; quotes hold one together. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Of lines of progress only the last, without the time left. */
function withoutHaste(lines: readonly string[]): readonly string[] {
  const isProgress = (line = ''): boolean => /^(?:Replaying|Counting|Sending|Looking for events)\b/.test(line);
  return lines
    .filter((line, at) => !isProgress(line) || !isProgress(lines[at + 1]))
    .map(line => (isProgress(line) ? line.replace(/ about .*$/, '') : line));
}

function mask(text: string, endpoint: string): string {
  const seen = new Map<string, string>();
  const stable = (found: string, made: (n: number) => string): string => {
    const known = seen.get(found);
    if (known !== undefined) return known;
    const name = made(seen.size + 1);
    seen.set(found, name);
    return name;
  };
  const day = '2026-11-21T03:';
  return text
    .replaceAll(endpoint, 'http://127.0.0.1:4566')
    .replaceAll(/(execute-api\/)[a-z0-9]{8,12}/g, '$1a1b2c3d4e')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, found =>
      stable(found, n => `5f0d5a1e-0000-4000-8000-${String(n).padStart(12, '0')}`),
    )
    .replaceAll(/\b[0-9a-f]{64}\b/g, found =>
      stable(found, n => `${'e3b0c442'.repeat(7)}${String(n).padStart(8, '0')}`),
    )
    .replaceAll(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, found =>
      stable(found, n => `65f1c0de${String(n).padStart(16, '0')}`),
    )
    .replaceAll(/\brj-\d{8}t\d{6}-[0-9a-f]{8}/g, 'rj-20261121t031500-1a2b3c4d')
    .replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, found =>
      stable(found, n => `${day}${String(10 + (n % 49)).padStart(2, '0')}:00.000Z`),
    );
}

async function eventsOf(gateway: GatewayUnderTest, source: string): Promise<readonly { id: string; status: string }[]> {
  const { stdout } = await runOnAws(gateway, ['events', 'ls', '--source', source, '--json']);
  return (JSON.parse(stdout) as { events: { id: string; status: EventItem['status'] }[] }).events;
}

async function idOf(gateway: GatewayUnderTest, source: string): Promise<string> {
  return (await eventsOf(gateway, toSourceId(source)))[0]?.id ?? 'none';
}

/** Waits until this number of events of the default source are dead and nothing is on its way. */
async function untilDead(gateway: GatewayUnderTest, count: number): Promise<void> {
  const deadline = Date.now() + 180_000;
  for (;;) {
    const events = await eventsOf(gateway, 'default');
    const dead = events.filter(event => event.status === 'dead_letter').length;
    const open = events.filter(event => !['dead_letter', 'completed', 'ignored'].includes(event.status)).length;
    if (dead === count && open === 0 && (await gateway.deadMessages()).length >= count) return;
    if (Date.now() > deadline) throw new Error(`${dead} of ${count} dead, ${open} open`);
    await wait(500);
  }
}

/** The handler of `test.schema…` takes events, or refuses them again. */
export async function fix(gateway: GatewayUnderTest, fixed = true): Promise<void> {
  const documents = DynamoDBDocumentClient.from(gateway.clients.dynamo);
  const TableName = gateway.physicalId(/^HandlersPayments/);
  const row = { paymentId: 'schema fixed' };
  if (fixed) await documents.send(new PutCommand({ TableName, Item: row }));
  else await documents.send(new DeleteCommand({ TableName, Key: row }));
}
