/** `holdfast out apps`: one application for each customer, its limits, and its erasure with a report. */

import { wholeNumber } from '#cli/filter-options.ts';
import type { Run, RunCommand } from '#cli/run.ts';
import type { ErasureView } from '#core/outbound/api/erasure-api.ts';
import type { LimitsBody } from '#core/outbound/api/fields.ts';
import { changeLimits, eraseApplication, readErasureOf } from '#operator/customers/applications.ts';
import { applicationOf, listApplications } from '#operator/customers/deliveries.ts';

interface EraseOptions {
  readonly dryRun?: boolean;
  readonly report?: boolean;
  readonly yes?: boolean;
}

/** `tend` runs every minute. */
const COUNT_LIMIT_MS = 150_000;
const POLL_MS = 2_000;

/** Option, name in the API, bounds, and what is there without it. */
const LIMITS = [
  ['endpoints', 'endpoints', 10_000, '50', 'how many endpoints it may have'],
  ['publishPerSecond', 'publish_per_second', 1_000, 'none', 'how many messages it may publish in a second'],
  ['payloadBytes', 'payload_bytes', 262_144, '262144', 'how many bytes a body may have when it is sent'],
  ['retentionDays', 'retention_days', 365, "the environment's", 'how many days its messages are kept'],
] as const;
type LimitOptions = { readonly [Option in (typeof LIMITS)[number][0]]?: string };
const flagOf = (option: string): string => option.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

export function addOutApps(out: RunCommand): void {
  const apps = out
    .command('apps')
    .argument('[app]', 'show this one: id, or uid:<uid>')
    .description('List applications: one for each customer')
    .examples(
      ['holdfast out apps', 'their ids, names and numbers of endpoints'],
      ['holdfast out apps uid:acme', 'one of them, with its limits'],
    );
  apps.does((run, app: string | undefined) => (app === undefined ? listAll(run) : showOne(run, app)));

  const limits = apps
    .command('limits')
    .argument('<app>', 'id, or uid:<uid>')
    .description(
      'Change limits of an application, so that it does not slow down others. Limits that you leave out stay',
    );
  for (const [option, , , , about] of LIMITS) limits.option(`--${flagOf(option)} <n>`, `${about}, or default`);
  limits
    .examples(
      ['holdfast out apps limits uid:acme --publish-per-second 20', 'publish answers 429 to more than that'],
      ['holdfast out apps limits uid:acme --retention-days default', 'keep messages as long as the environment does'],
    )
    .does(async (run, app: string, options: LimitOptions) => {
      const given = LIMITS.flatMap(([option, name, most]) => {
        const text = options[option];
        if (text === undefined) return [];
        return [[name, text === 'default' ? null : wholeNumber(flagOf(option), text, 1, most)] as const];
      });
      const changed = await (given.length === 0
        ? applicationOf(run, app)
        : changeLimits(run, app, Object.fromEntries(given)));
      run.out.result(changed, () => limitLines(changed.limits));
    });

  apps
    .command('erase')
    .argument('<app>', 'id, or uid:<uid>')
    .description(
      'Erase an application and everything that belongs to its customer. It counts first, and leaves a report',
    )
    .option('--dry-run', 'count, erase nothing')
    .option('--report', 'show how far it is, and in the end its report; by id (app_…), because the uid is erased, too')
    .option('--yes', 'do not count or ask first')
    .examples(
      ['holdfast out apps erase uid:acme --dry-run', 'what would be removed'],
      ['holdfast out apps erase uid:acme', 'counts, asks, then erases: minutes to hours'],
      ['holdfast out apps erase app_4z6… --report', 'what was removed, what stays and until when'],
    )
    .does(async (run, app: string, { dryRun = false, report, yes }: EraseOptions) => {
      if (report === true) {
        const found = await readErasureOf(run, app, { dryRun: false });
        return run.out.result(found, () => erasureLines(found));
      }
      // A script without a terminal hears at once that it must say --yes.
      if (dryRun || (yes !== true && run.io.stdinIsTTY && !run.out.json)) {
        const counts = await counted(run, await eraseApplication(run, app, { dryRun: true }));
        if (dryRun) return run.out.result(counts, () => erasureLines(counts));
        for (const line of erasureLines(counts)) run.out.note(line);
      }
      await run.confirm(`Erase ${app} in ${run.environment} for good?`, yes);
      const begun = await eraseApplication(run, app, { dryRun });
      run.out.result(begun, () => [`${begun.application} is being erased; publishing to it is refused from now on`]);
      run.out.next(run.command(`out apps erase ${begun.application} --report`), 'how far it is, then the report');
    });
}

async function listAll(run: Run): Promise<void> {
  const found = await listApplications(run);
  run.out.result(found, () =>
    run.out.table(
      ['ID', 'UID', 'NAME', 'ENDPOINTS', 'STATE'],
      found.map(({ id, uid, name, endpoints, state }) => [id, uid ?? '-', name, String(endpoints), state]),
      'No application yet. The API makes them: POST /v1/apps (docs/api/delivery.md).',
    ),
  );
}

async function showOne(run: Run, app: string): Promise<void> {
  const found = await applicationOf(run, app);
  const { id, uid, name, state, endpoints, limits } = found;
  run.out.result(found, () => [
    `${id}${uid === null ? '' : `  uid:${uid}`}  ${name}  ${state}  ${endpoints} endpoint${endpoints === 1 ? '' : 's'}`,
    ...limitLines(limits),
  ]);
}

const limitLines = (limits: LimitsBody): readonly string[] =>
  LIMITS.map(([option, name, , none, about]) => {
    const value = limits[name] === undefined ? `${none} (default)` : String(limits[name]);
    return `${flagOf(option).padEnd(18)} ${value.padEnd(28)} ${about}`;
  });

/** A dry run once it has counted, or as far as it is after a while. Throws OperatorError (interrupted) after Ctrl-C. */
async function counted(run: Run, begun: ErasureView): Promise<ErasureView> {
  const { timer } = await run.gateway();
  const progress = run.out.progress('counting (tend runs every minute)', 'Nothing was erased.');
  let now = begun;
  for (const until = run.clock.now() + COUNT_LIMIT_MS; now.state === 'counting' && run.clock.now() < until; ) {
    await timer.sleep(POLL_MS);
    now = await readErasureOf(run, begun.application, { dryRun: true });
    progress.update(now.counts['messages'] ?? 0, undefined);
  }
  progress.end();
  return now;
}

const TOLD: Readonly<Record<ErasureView['state'], string>> = {
  counting: 'still being counted; so far',
  counted: 'would be removed',
  erasing: 'being removed; so far',
  erased: 'removed',
};

function erasureLines({ application, state, phase, finished_at: at, counts, stays, by }: ErasureView) {
  const when = state === 'erased' ? ` at ${at}, asked by ${by}` : state === 'erasing' ? ` (${phase})` : '';
  return [
    `${application}: ${TOLD[state]}${when}`,
    ...Object.entries(counts).map(([kind, count]) => `  ${kind.replace('_', ' ').padEnd(14)} ${count}`),
    ...stays.map(each => `stays: ${each.what}${each.until === null ? '' : `, until ${each.until}`}`),
  ];
}
