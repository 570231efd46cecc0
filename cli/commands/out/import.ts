/** `holdfast out import`: applications, endpoints, secrets and types out of what another system exported. */
import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { EXIT, usageError } from '#cli/cli-error.ts';
import { readInput } from '#cli/read-input.ts';
import { type CommandSet, type Run, withExamples } from '#cli/run.ts';
import { EXPORTED_FROM, type ExportedFrom, importPlan, readPlan } from '#operator/moving/import-export.ts';

interface ImportOptions {
  readonly from?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addOutImport(out: Command, set: CommandSet): void {
  withExamples(
    out
      .command('import')
      .argument('<file>', 'JSON or NDJSON; - for stdin')
      .description('Create the customers that another system exported, with the secrets they have')
      .option('--from <system>', `the system that exported it: ${EXPORTED_FROM.join(', ')}`)
      .option('--dry-run', 'say what would be created and what cannot be')
      .option('--yes', 'do not ask'),
    ['holdfast out import --from svix svix.json --dry-run', 'what would be created, and what cannot be carried over'],
    ['holdfast out import --from svix svix.json --yes', 'creates what is not there yet; run it again after a failure'],
  ).action(
    set.action(async (run, file: string, { from, dryRun = false, yes }: ImportOptions) => {
      const system = EXPORTED_FROM.find(each => each === from);
      if (system === undefined)
        throw usageError(
          from === undefined ? 'No --from' : `--from "${from.slice(0, 40)}"`,
          EXPORTED_FROM.join(', '),
          `e.g. --from ${EXPORTED_FROM[0]}`,
        );
      warnOfReaders(run, file);
      const plan = await readPlan(run, system, (await readInput(run, file)).toString('utf8'));
      const endpoints = plan.applications.reduce((sum, each) => sum + each.endpoints.length, 0);
      const all = `${plan.types.length} event types, ${plan.applications.length} applications, ${endpoints} endpoints`;
      if (!dryRun) await run.confirm(`Create what is not there yet of ${all}?`, yes);
      return carryOver(run, system, plan, dryRun);
    }),
  );
}

async function carryOver(run: Run, from: ExportedFrom, plan: Parameters<typeof importPlan>[1], dryRun: boolean) {
  const progress = run.out.progress(dryRun ? 'looking' : 'creating');
  const result = await importPlan(run, plan, {
    ...{ from, dryRun },
    progress: (done, total) => progress.update(done, total, 'applications'),
  });
  progress.end();
  const counted = (name: string, { made, there }: { made: number; there: number }) => [
    name,
    String(made),
    String(there),
  ];
  run.out.result({ dry_run: dryRun, ...result }, () => [
    ...run.out.table(
      ['', dryRun ? 'TO CREATE' : 'CREATED', 'THERE ALREADY'],
      [
        counted('event types', result.types),
        counted('applications', result.applications),
        counted('endpoints', result.endpoints),
      ],
    ),
    ...(result.left.length === 0 ? [] : ['', 'Not carried over:']),
    ...result.left.flatMap(({ what, why, fix, endpoint }) => [
      `${run.out.paint(endpoint ? 'red' : 'yellow', what)}: ${why}`,
      `    ${fix}`,
    ]),
  ]);
  const missing = result.left.filter(({ endpoint }) => endpoint).length;
  if (missing > 0) run.out.note(`${missing} of them ${missing === 1 ? 'is' : 'are'} not created at all.`);
  return missing > 0 && !dryRun ? EXIT.partial : EXIT.ok;
}

const OTHERS = 0o077;

/** The file has every customer's secret. */
function warnOfReaders(run: Run, file: string): void {
  const mode = file === '-' ? undefined : statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & OTHERS) === 0 || process.platform === 'win32') return;
  run.out.note(
    `Others on this machine can read ${file}, and it holds secrets: chmod 600 ${file}, and delete it afterwards.`,
  );
}
