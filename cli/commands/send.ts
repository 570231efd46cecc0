/** `holdfast send`: a correctly signed sample event through the front door, and what became of it. */
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { toEventId } from '#core/glossary.ts';
import { explainError, isUnforeseen } from '#operator/explain-error.ts';
import { sampleEvent } from '#operator/sources/sample-event.ts';
import { parseJson, sendToSource, waitForEnd } from '#operator/sources/send-request.ts';
import { readSourceSecret } from '#operator/sources/source-secret.ts';
import { EXIT, type ExitCode, OperatorError } from '../cli-error.ts';
import { wholeNumber } from '../filter-options.ts';
import { isStopped } from '../io.ts';
import { collect, readHeaders, readInput } from '../read-input.ts';
import type { Run, RunCommand } from '../run.ts';

interface SendOptions {
  readonly type?: string;
  readonly bodyFile?: string;
  readonly header: readonly string[];
  readonly url?: string;
  readonly count: string;
  readonly wait?: string;
  readonly yes?: boolean;
}

export function addSend(program: RunCommand): void {
  program
    .command('send')
    .argument('<source>')
    .description('Send a correctly signed sample event to a source')
    .option('--type <type>', 'give the sample this event type')
    .option('--body-file <file>', 'send these bytes instead of the sample (- for stdin)')
    .option('--header <name:value>', 'add a header (repeat it for more)', collect, [] as readonly string[])
    .option('--url <url>', "send there instead of the source's own URL")
    .option('--count <n>', 'send N events, each with its own id', '1')
    .option('--wait <seconds>', 'wait until the event has ended, at most N seconds')
    .option('--yes', 'do not ask before sending to an environment that is not disposable')
    .addHelpText(
      'after',
      '\nEvery provider has a sample (providers/samples/). One of your own without it gets the generic one.',
    )
    .examples(
      ['holdfast send stripe --wait 30', 'send one and see it end'],
      ['holdfast send github --count 20', 'twenty different ones'],
    )
    .does(async (run, name: string, options: SendOptions) => {
      const source = run.source(name);
      const count = wholeNumber('count', options.count, 1, 10_000);
      const wait = options.wait === undefined ? undefined : wholeNumber('wait', options.wait, 1, 3_600);
      await run.gateway();
      if (!run.deployment.disposable && options.url === undefined)
        await run.confirm(
          `Send ${count} sample event${count === 1 ? '' : 's'} to ${name} in ${run.environment}? Its handlers will run.`,
          options.yes,
        );
      await readSourceSecret(run, source);
      const body = options.bodyFile === undefined ? undefined : await readInput(run, options.bodyFile);
      const startedAt = run.clock.now();
      const progress = run.out.progress('Sending');
      let [sent, refused] = [0, 0];
      for (let n = 1; n <= count && !run.io.interrupted.aborted; n++) {
        const request = requestOf(source, options, body, run.clock.now());
        const answer = await sendToSource(run, source, request).catch((error: unknown) => {
          progress.end();
          throw count === 1 ? error : stoppedAt(run, name, { sent, refused, count }, error);
        });
        const ok = answer.status >= 200 && answer.status < 300;
        sent += 1;
        if (!ok) refused += 1;
        if (count > 1) progress.update(n, count);
        if (count === 1) {
          const value = { status: answer.status, answer: parseJson(answer.body), ms: Math.round(answer.ms) };
          if (wait === undefined) run.out.result(value, () => [`${answer.status} ${answer.body}  (${value.ms} ms)`]);
          else if (!ok)
            throw new OperatorError(
              `The gateway answered ${answer.status} ${answer.body}\nWhy: ${run.command('doctor')}`,
            );
          else return showEnd(run, source, { answer: answer.body, startedAt }, wait);
        }
      }
      progress.end();
      if (count > 1) run.out.result({ sent, refused }, () => [`${sent} sent, ${refused} refused`]);
      if (refused > 0) run.out.next(run.command('doctor'), 'what may be wrong with the source');
      else run.out.next(run.command(`events ls --source ${name} --since 5m`), 'what happened to it');
      if (sent < count && isStopped(run.io)) return EXIT.interrupted;
      return refused === 0 ? EXIT.ok : refused === sent ? EXIT.failure : EXIT.partial;
    });
}

/** Tells how many went before a request failed. An error that nobody foresaw stays as it is. */
function stoppedAt(
  run: Run,
  source: string,
  { sent, refused, count }: { readonly sent: number; readonly refused: number; readonly count: number },
  error: unknown,
): unknown {
  const counts = `${sent} of ${count} sent, ${refused} refused`;
  run.out.result({ sent, refused }, () => [counts]);
  run.out.note(`Stopped: ${counts}. The next one failed, and may have arrived all the same.`);
  run.out.note(`See what arrived: ${run.command(`events ls --source ${source} --since 5m`)}`);
  run.out.note(`For the rest, type the same with --count ${count - sent}.`);
  if (isUnforeseen(error) || sent === refused) return error;
  return new OperatorError(explainError(error).message, 'partial', { cause: error });
}

/** A fresh sample (or the given bytes), not signed yet. Throws OperatorError (usage) for a header without a name. */
function requestOf(source: ResolvedSource, options: SendOptions, body: Buffer | undefined, now: number) {
  const sample = sampleEvent(source.spec.id, new Date(now), options.type);
  return {
    method: sample.method,
    rawQuery: sample.rawQuery,
    body: body ?? Buffer.from(sample.body),
    headers: { ...sample.headers, ...readHeaders(options.header) },
    url: options.url,
  };
}

async function showEnd(
  run: Run,
  source: ResolvedSource,
  sent: { readonly answer: string; readonly startedAt: number },
  seconds: number,
): Promise<ExitCode> {
  const until = run.clock.now() + seconds * 1_000;
  const item = await waitForEnd(run, source, { ...sent, until, signal: run.io.interrupted });
  if (!item)
    throw new OperatorError(
      `The event was accepted, but not recorded within ${seconds} s.\nSee why: ${run.command('status')}`,
    );
  const ms = (item.completedAt ?? item.deadAt ?? run.clock.now()) - item.receivedAt;
  const id = toEventId(item.pk);
  const duplicate = (parseJson(sent.answer) as { status?: unknown } | null)?.status === 'already_processed';
  const value = { id, source: source.id, status: item.status, duplicate, ms, last_error: item.lastError };
  const end = duplicate ? `duplicate: accepted before, ${item.status}` : `${item.status} in ${ms} ms`;
  run.out.result(value, () => [`${id}  ${end}${item.lastError ? `  ${item.lastError}` : ''}`]);
  run.out.next(run.command(`events get ${id}`), 'its history');
  return item.status === 'completed' || item.status === 'ignored' ? EXIT.ok : EXIT.failure;
}
