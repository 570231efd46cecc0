/** `holdfast out retry`, `test`, `pause`, `resume`: what on-call does. */

import { randomUUID } from 'node:crypto';
import { EXIT, type ExitCode, usageError } from '#cli/cli-error.ts';
import { isoSince } from '#cli/filter-options.ts';
import { isStopped } from '#cli/io.ts';
import type { Run, RunCommand } from '#cli/run.ts';
import { given } from '#core/given.ts';
import type { ReplayJobView } from '#core/outbound/api/deliveries/replay-api.ts';
import { stateWord } from '#core/words.ts';
import { healthOf, jobOf, retryDelivery, retryMany, setGate, testEndpoint } from '#operator/customers/deliveries.ts';
import { endpointCommand } from './lists.ts';

interface WhyOptions {
  readonly why?: string;
}
interface ResumeOptions extends WhyOptions {
  readonly backlog?: string;
  readonly since?: string;
}
interface RetryOptions extends WhyOptions {
  readonly dead?: boolean;
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** For a count that a dry run makes: it begins at once, and where that was lost within a minute. */
const COUNT_LIMIT_MS = 150_000;
const POLL_MS = 500;

const BACKLOGS = ['drain', 'drop', 'since'] as const;

export function addOutActs(out: RunCommand): void {
  out
    .command('retry')
    .argument('<app>', 'id, or uid:<uid>')
    .argument('[endpoint]', 'id, or uid:<uid>')
    .argument('[message]', 'id, msg_…')
    .description('Send a delivery again now, with the same webhook-id; or, as a job, what is dead')
    .option('--dead', 'all that is dead in the application, or at the endpoint')
    .option('--since <when>', 'of the dead, published since then: 2026-11-21T03:00Z, or 30m, 24h, 7d ago')
    .option('--dry-run', 'count the dead, send nothing')
    .option('--why <text>', 'the reason, kept with the delivery or the job')
    .option('--yes', 'do not ask')
    .examples(
      [
        'holdfast out retry uid:acme uid:billing msg_4z6… --why "their deploy is fixed"',
        'a dead delivery, or one that waits for its next attempt',
      ],
      ['holdfast out retry uid:acme --dead --since 24h --dry-run', 'how many that would be'],
      [
        'holdfast out retry uid:acme --dead --why "they were down" --yes',
        'a job that continues when you close your laptop',
      ],
    )
    .does(async (run, app: string, ep: string | undefined, message: string | undefined, options: RetryOptions) => {
      if (options.dead === true && message === undefined) return retryDead(run, app, ep, options);
      if (options.dead === true || ep === undefined || message === undefined) {
        const wrong = options.dead === true ? 'Both a message and --dead' : 'Neither a message nor --dead';
        throw usageError(wrong, '<app> <endpoint> <message>, or <app> [endpoint] --dead', `out retry ${app} --dead`);
      }
      const ofDead = options.dryRun === true ? '--dry-run' : options.since === undefined ? undefined : '--since';
      if (ofDead !== undefined)
        throw usageError(`${ofDead} with a message`, `${ofDead} with --dead`, `leave it out: nothing was sent`);
      const reason = await run.reason(options.why);
      await retryDelivery(run, { app, ep, message }, { why: reason, requestId: randomUUID() });
      run.out.result({ message, endpoint: ep, retried: true }, () => [`${message} goes to ${ep} again`]);
      run.out.next(run.command(`out messages ${app} ${message}`), 'what happened to it');
      return EXIT.ok;
    });

  endpointCommand(out, 'test')
    .description('Send one signed test request at once, and print what was sent and answered')
    .option('--type <type>', 'send the example of this event type of the catalogue')
    .examples(['holdfast out test uid:acme uid:billing', 'does it answer, and does it take the signature?'])
    .does(async (run, app: string, ep: string, { type }: { type?: string }) => {
      const answer = await testEndpoint(run, { app, ep }, type);
      const { success, status_code: code, detail, duration_ms: ms, request, response_body: said } = answer;
      run.out.result(answer, () => [
        `${run.out.paint(success ? 'green' : 'red', `${code ?? '-'} ${answer.class}`)} in ${ms} ms${detail === null ? '' : `: ${detail}`}`,
        `POST ${request.url}`,
        ...Object.entries(request.headers).map(([name, text]) => `${run.out.paint('dim', `${name}:`)} ${text}`),
        '',
        request.body,
        ...(said === '' ? [] : ['', run.out.paint('dim', 'answered'), said]),
      ]);
      return success ? EXIT.ok : EXIT.failure;
    });

  endpointCommand(out, 'pause')
    .description('Stop sending to an endpoint for a while; nothing is lost')
    .option('--why <text>', 'the reason, shown to everybody who looks')
    .examples(['holdfast out pause uid:acme uid:billing --why "their deploy"', 'its webhooks wait until resume'])
    .does(async (run, app: string, ep: string, { why }: WhyOptions) =>
      showGate(run, app, ep, await setGate(run, { app, ep }, 'pause', { why: await run.reason(why) })),
    );

  endpointCommand(out, 'resume')
    .description('Send again to an endpoint that is paused, disabled, or on hold. On hold, one request tries it now')
    .option('--backlog <what>', 'of a disabled one, what waited: drain, drop or since')
    .option('--since <when>', 'with --backlog since: what is older is dropped: 2026-11-21T03:00Z, or 30m, 24h, 7d ago')
    .option('--why <text>', 'the reason, shown to everybody who looks')
    .examples(
      ['holdfast out resume uid:acme uid:billing --why "deployed"', 'what waited goes out, oldest first'],
      ['holdfast out resume uid:acme uid:billing --backlog drop --why "too old"', 'only what is published from now on'],
    )
    .does(async (run, app: string, ep: string, { backlog, since, why }: ResumeOptions) => {
      if (backlog !== undefined && !BACKLOGS.includes(backlog as (typeof BACKLOGS)[number]))
        throw usageError(`--backlog ${backlog}`, BACKLOGS.join(', '), '--backlog drain sends all of it');
      if ((backlog === 'since') !== (since !== undefined))
        throw usageError('One of --backlog since and --since', 'both, or neither', '--backlog since --since 24h');
      const { state } = await healthOf(run, app, ep);
      const act = state === 'disabled' ? 'enable' : state === 'holding' ? 'trial' : 'resume';
      if (backlog !== undefined && act !== 'enable')
        throw usageError(
          `--backlog ${backlog}: ${ep} is ${stateWord(state)}`,
          'an endpoint that is disabled',
          'leave it out: all that waited is sent',
        );
      // A trial is one request: there is nothing to explain later.
      const body =
        act === 'trial' ? {} : { why: await run.reason(why), ...given({ backlog, since: isoSince(run, since) }) };
      await showGate(run, app, ep, await setGate(run, { app, ep }, act, body));
    });
}

function showGate(run: Run, app: string, ep: string, now: Awaited<ReturnType<typeof setGate>>): void {
  run.out.result(now, () => [`${ep} is ${now.state} (${now.gate})`]);
  run.out.next(run.command(`out endpoints ${app} ${ep}`), 'what waits, and what it answers');
}

/** All that is dead in an application or at an endpoint, as a job. */
async function retryDead(run: Run, app: string, ep: string | undefined, options: RetryOptions): Promise<ExitCode> {
  const { since, dryRun = false, why, yes } = options;
  const filter = { app, ep, since: isoSince(run, since) };
  if (dryRun) {
    const job = await counted(run, await retryMany(run, filter, { why: 'count', dryRun }));
    const isPart = job.state === 'running';
    const so = isPart ? ' so far: not all are counted yet' : '';
    run.out.result(job, () => [`${job.counts.replayed} dead deliveries${so}`]);
    return isStopped(run.io) && isPart ? EXIT.interrupted : isPart ? EXIT.partial : EXIT.ok;
  }
  const reason = await run.reason(why);
  await run.confirm(`Send again what is dead in ${app}${ep === undefined ? '' : ` at ${ep}`}?`, yes);
  const job = await retryMany(run, filter, { why: reason, dryRun });
  run.out.result(job, () => [`${job.id} sends them again`]);
  return EXIT.ok;
}

/** A job once it has counted, or as far as it is after a while or Ctrl-C. */
async function counted(run: Run, job: ReplayJobView): Promise<ReplayJobView> {
  const { timer } = await run.gateway();
  const progress = run.out.progress('counting');
  let now = job;
  const until = run.clock.now() + COUNT_LIMIT_MS;
  while (now.state === 'running' && run.clock.now() < until && !isStopped(run.io)) {
    await timer.sleep(POLL_MS);
    now = await jobOf(run, job.id);
    progress.update(now.counts.replayed, undefined);
  }
  progress.end();
  return now;
}
