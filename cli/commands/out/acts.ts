/** `holdfast out retry`, `retry-dead`, `test`, `pause`, `resume`, `disable`, `enable`, `trial`: what on-call does. */
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { EXIT } from '#cli/cli-error.ts';
import { isoSince } from '#cli/filter-options.ts';
import { type CommandSet, type Run, withExamples } from '#cli/run.ts';
import {
  type GateAct,
  jobOf,
  type ReplayJobView,
  retryDelivery,
  retryMany,
  setGate,
  testEndpoint,
} from '#operator/customers/deliveries.ts';
import { deliveryCommand, endpointCommand } from './lists.ts';

interface WhyOptions {
  readonly why?: string;
}
interface RetryDeadOptions extends WhyOptions {
  readonly endpoint?: string;
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Waits for a count that a dry run makes: `tend` runs every minute. */
const COUNT_LIMIT_MS = 150_000;
const POLL_MS = 2_000;

const ACTS: readonly (readonly [act: GateAct, about: string, example: string])[] = [
  ['pause', 'Stop sending to an endpoint for a while; nothing is lost', 'its webhooks wait until resume'],
  ['resume', 'End the pause of an endpoint', 'what waited goes out, oldest first'],
  ['disable', 'Close an endpoint until somebody enables it', 'its webhooks wait; a test delivery is refused, too'],
  [
    'enable',
    'Open an endpoint that a person or Holdfast disabled',
    'one request tries it first, then what waited goes out',
  ],
  ['trial', 'Send one request now to an endpoint on hold', 'does not wait for the next trial request'],
];

export function addOutActs(out: Command, set: CommandSet): void {
  withExamples(
    deliveryCommand(out, 'retry')
      .description('Send a delivery again now, with the same webhook-id')
      .option('--why <text>', 'the reason, kept with the delivery'),
    [
      'holdfast out retry uid:acme uid:billing msg_4z6… --why "their deploy is fixed"',
      'a dead delivery, or one that waits for its next attempt',
    ],
  ).action(
    set.action(async (run, app: string, ep: string, message: string, { why }: WhyOptions) => {
      const reason = await run.reason(why);
      await retryDelivery(run, { app, ep, message }, { why: reason, requestId: randomUUID() });
      run.out.result({ message, endpoint: ep, retried: true }, () => [`${message} goes to ${ep} again`]);
      run.out.next(run.command(`out message ${app} ${message}`), 'what became of it');
    }),
  );

  withExamples(
    out
      .command('retry-dead')
      .argument('<app>', 'id, or uid:<uid>')
      .description('Send dead deliveries again, as a job of 50 a second')
      .option('--endpoint <endpoint>', 'only this endpoint: id, or uid:<uid>')
      .option('--since <when>', 'published since then: 2026-11-21T03:00Z, or 30m, 24h, 7d ago')
      .option('--dry-run', 'count them, send nothing')
      .option('--why <text>', 'the reason, kept with the job')
      .option('--yes', 'do not ask'),
    ['holdfast out retry-dead uid:acme --since 24h --dry-run', 'how many that would be'],
    [
      'holdfast out retry-dead uid:acme --why "they were down" --yes',
      'a job that continues when you close your laptop',
    ],
  ).action(
    set.action(async (run, app: string, { endpoint, since, dryRun = false, why, yes }: RetryDeadOptions) => {
      const filter = { app, ep: endpoint, since: isoSince(run, since) };
      if (dryRun) {
        const job = await counted(run, await retryMany(run, filter, { why: 'count', dryRun }));
        run.out.result(job, () => [`${job.counts.replayed} dead deliveries`]);
        return;
      }
      const reason = await run.reason(why);
      await run.confirm(`Send again what is dead in ${app}${endpoint === undefined ? '' : ` at ${endpoint}`}?`, yes);
      const job = await retryMany(run, filter, { why: reason, dryRun });
      run.out.result(job, () => [`${job.id} sends them again`]);
    }),
  );

  withExamples(
    endpointCommand(out, 'test')
      .description('Send one signed test request at once, past every queue, and print what was sent and answered')
      .option('--type <type>', 'send the example of this event type of the catalogue'),
    ['holdfast out test uid:acme uid:billing', 'does it answer, and does it take the signature?'],
  ).action(
    set.action(async (run, app: string, ep: string, { type }: { type?: string }) => {
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
    }),
  );

  for (const [act, about, example] of ACTS) {
    const command = endpointCommand(out, act).description(about);
    // A trial is one request: there is nothing to explain later.
    if (act !== 'trial') command.option('--why <text>', 'the reason, shown to everybody who looks');
    const why = act === 'trial' ? '' : ' --why "their deploy"';
    withExamples(command, [`holdfast out ${act} uid:acme uid:billing${why}`, example]).action(
      set.action(async (run, app: string, ep: string, options: WhyOptions) => {
        const reason = act === 'trial' ? undefined : await run.reason(options.why);
        const now = await setGate(run, { app, ep }, act, reason);
        run.out.result(now, () => [`${ep} is ${now.state} (${now.gate})`]);
        run.out.next(run.command(`out health ${app} ${ep}`), 'what waits, and what it answers');
      }),
    );
  }
}

/** A job once it has counted. */
async function counted(run: Run, job: ReplayJobView): Promise<ReplayJobView> {
  const { timer } = await run.gateway();
  const progress = run.out.progress('counting (tend runs every minute)');
  let now = job;
  for (const until = run.clock.now() + COUNT_LIMIT_MS; now.state === 'running' && run.clock.now() < until; ) {
    await timer.sleep(POLL_MS);
    now = await jobOf(run, job.id);
    progress.update(now.counts.replayed, undefined);
  }
  progress.end();
  return now;
}
