/** `holdfast send`: a correctly signed sample event through the front door, and what became of it. */
import type { Command } from 'commander';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { type EventKey, isEventKey, toEventId, toEventPk } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { TimelineReader } from '#core/inbound/search/read-timeline.ts';
import { signRequest } from '#core/verification/sign-request.ts';
import { sampleEvent } from '#local/sample-event.ts';
import { CliError, EXIT, type ExitCode } from '#operator/operator-error.ts';
import { readSourceSecret } from '#operator/source-secret.ts';
import { wholeNumber } from '../filter-options.ts';
import { readInput } from '../read-input.ts';
import { type CommandSet, type Run, withExamples } from '../run.ts';

interface SendOptions {
  readonly type?: string;
  readonly bodyFile?: string;
  readonly header: readonly string[];
  readonly url?: string;
  readonly count: string;
  readonly wait?: string;
  readonly yes?: boolean;
}

const POLL_MS = 250;

export function addSend(program: Command, set: CommandSet): void {
  withExamples(
    program
      .command('send')
      .argument('<source>')
      .description('Send a correctly signed sample event to a source')
      .option('--type <type>', 'another event type in the sample')
      .option('--body-file <file>', 'send these bytes instead of the sample (- for stdin)')
      .option('--header <name:value>', 'add a header (again for more)', collect, [] as readonly string[])
      .option('--url <url>', "send there instead of the source's own URL")
      .option('--count <n>', 'so many events, each a new one', '1')
      .option('--wait <seconds>', 'wait until it has ended, at most so long')
      .option('--yes', 'do not ask before sending to an environment that is not disposable')
      .addHelpText(
        'after',
        '\nEvery provider has a sample (providers/samples/); one of your own gets the generic one.',
      ),
    ['holdfast send stripe --wait 30', 'send one and see it end'],
    ['holdfast send github --count 20', 'twenty different ones'],
  ).action(
    set.action(async (run, name: string, options: SendOptions) => {
      const source = run.source(name);
      const count = wholeNumber('count', options.count, 1, 10_000);
      const wait = options.wait === undefined ? undefined : wholeNumber('wait', options.wait, 1, 3_600);
      const gateway = await run.gateway();
      if (!run.deployment.disposable && options.url === undefined)
        await run.confirm(
          `Send ${count} sample event${count === 1 ? '' : 's'} to ${name} in ${run.environment}? Its handlers will run.`,
          options.yes,
        );
      const secret = (await readSourceSecret(run, source))?.current ?? '';
      const body = options.bodyFile === undefined ? undefined : await readInput(run, options.bodyFile);
      const url = options.url ?? `${gateway.apiUrl}${source.paths[0]}`;
      const startedAt = run.clock.now();
      const progress = run.out.progress('Sending');
      let refused = 0;
      for (let n = 1; n <= count && !run.io.interrupted.aborted; n++) {
        const request = signSample(source, secret, run, options, body);
        const answer = await gateway.http(request.url(url), request);
        const ok = answer.status >= 200 && answer.status < 300;
        if (!ok) refused += 1;
        if (count > 1) progress.update(n, count);
        if (count === 1) {
          const value = { status: answer.status, answer: parse(answer.body), ms: Math.round(answer.ms) };
          if (wait === undefined) run.out.result(value, () => [`${answer.status} ${answer.body}  (${value.ms} ms)`]);
          else if (!ok) throw new CliError(`The gateway answered ${answer.status} ${answer.body}`);
          else return waitForEnd(run, source, keyOf(value.answer), startedAt, wait);
        }
      }
      progress.end();
      if (count > 1) run.out.result({ sent: count, refused }, () => [`${count} sent, ${refused} refused`]);
      if (refused > 0) run.out.next(run.command('doctor'), 'what may be wrong with the source');
      else run.out.next(run.command(`events ls --source ${name} --since 5m`), 'what became of it');
      return refused === 0 ? EXIT.ok : refused === count ? EXIT.failure : EXIT.partial;
    }),
  );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** A fresh sample (or the given bytes) signed as the provider would. Throws CliError where that takes a private key. */
function signSample(source: ResolvedSource, secret: string, run: Run, options: SendOptions, body: Buffer | undefined) {
  const nowMs = run.clock.now();
  const sample = sampleEvent(source.spec.id, new Date(nowMs), options.type);
  const given = Object.fromEntries(
    options.header.map(text => {
      const at = text.indexOf(':');
      if (at < 1)
        throw new CliError(
          `--header: "${text.slice(0, 60)}"\n  allowed: name:value\n  fix:     --header x-my-header:1`,
          EXIT.usage,
        );
      return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
    }),
  );
  const { spec, settings, publicUrl } = source;
  try {
    const signed = signRequest(spec, {
      body: body ?? Buffer.from(sample.body),
      headers: { ...sample.headers, ...given },
      method: sample.method,
      rawQuery: sample.rawQuery,
      secret,
      settings,
      nowMs,
      crypto: nodeCrypto,
      ...(publicUrl === undefined ? {} : { publicUrl }),
    });
    return {
      method: sample.method,
      headers: signed.headers,
      body: signed.body ?? body ?? Buffer.from(sample.body),
      url: (base: string) => (signed.rawQuery === undefined ? base : `${base}?${signed.rawQuery}`),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CliError(`${spec.title} cannot be signed here: ${error.message}`, EXIT.failure, { cause: error });
  }
}

/** The provider's event id, where the acknowledgement tells it. */
function keyOf(answer: unknown): EventKey | undefined {
  const id = (answer as { event_id?: unknown } | null)?.event_id;
  return typeof id === 'string' && isEventKey(id) ? id : undefined;
}

async function waitForEnd(
  run: Run,
  source: ResolvedSource,
  key: EventKey | undefined,
  startedAt: number,
  seconds: number,
): Promise<ExitCode> {
  const { store, timer } = await run.gateway();
  const until = run.clock.now() + seconds * 1_000;
  let item: EventItem | undefined;
  while (run.clock.now() < until && !run.io.interrupted.aborted) {
    item = await (key === undefined ? newest(run, source, startedAt) : store.get(toEventPk(source.id, key)));
    if (item && isTerminal(item.status)) break;
    await timer.sleep(POLL_MS);
  }
  if (!item) throw new CliError(`Accepted, but not recorded within ${seconds} s; look: ${run.command('status')}`);
  const ms = (item.completedAt ?? item.deadAt ?? run.clock.now()) - item.receivedAt;
  const id = toEventId(item.pk);
  const value = { id, source: source.id, status: item.status, ms, last_error: item.lastError };
  run.out.result(value, () => [`${id}  ${item.status} in ${ms} ms${item.lastError ? `  ${item.lastError}` : ''}`]);
  run.out.next(run.command(`events get ${id}`), 'its history');
  return item.status === 'completed' || item.status === 'ignored' ? EXIT.ok : EXIT.failure;
}

/** Where the acknowledgement does not tell which event it is: what this source received since. */
async function newest(run: Run, source: ResolvedSource, startedAt: number): Promise<EventItem | undefined> {
  const { store } = await run.gateway();
  const window = { sources: [source.id], since: startedAt, until: run.clock.now() + 1 };
  const entries = await new TimelineReader(window, 'oldest', undefined, store).next(10, () => true);
  const items = await store.getMany(entries.map(entry => entry.pk));
  return items.find(it => isTerminal(it.status)) ?? items[0];
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
