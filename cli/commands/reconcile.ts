/** `holdfast reconcile`: ask providers now what they tried to deliver, as the schedule does. */
import type { ReconcileReport } from '#core/inbound/reconcile/reconcile-deliveries.ts';
import { toIso } from '#core/time.ts';
import { compareWithProvider, sourcesToCompare } from '#operator/events/compare-with-provider.ts';
import { span } from '#operator/span.ts';
import { EXIT, type ExitCode } from '../cli-error.ts';
import { isStopped } from '../io.ts';
import type { Run, RunCommand } from '../run.ts';

export function addReconcile(program: RunCommand): void {
  program
    .command('reconcile')
    .description('Ask providers what they tried to deliver, and record what never arrived')
    .option('--source <name>', 'only this source (default: each that has `reconcile` in gateway.config.ts)')
    .option('--dry-run', 'show what is missing, change nothing')
    .examples(
      ['holdfast reconcile --dry-run', 'what each provider has and the store does not'],
      ['holdfast reconcile --source stripe', 'let it in now, not at the next run of the schedule'],
    )
    .does(async (run, { source, dryRun = false }: { source?: string; dryRun?: boolean }) => {
      const names = sourcesToCompare(run, source);
      await run.gateway();
      const reports: ReconcileReport[] = [];
      let failed: { readonly error: unknown } | undefined;
      const left = [...names];
      for (const name of names) {
        if (isStopped(run.io)) break;
        run.out.note(`Comparing ${name} with its provider; minutes where there is much`);
        try {
          reports.push(...(await compareWithProvider(run, name, dryRun)));
        } catch (error) {
          // What the others healed is shown all the same.
          if (reports.length === 0) throw error;
          failed = { error };
          break;
        }
        left.shift();
      }
      run.out.result({ dry_run: dryRun, reports: reports.map(toJson) }, () => lines(run, reports));
      if (left.length > 0) run.out.note(`Not compared: ${left.join(', ')}`);
      if (failed !== undefined) throw failed.error;
      if (left.length > 0) return EXIT.interrupted;
      showNext(run, reports, dryRun);
      return exitCodeOf(reports);
    });
}

function lines(run: Run, reports: readonly ReconcileReport[]): readonly string[] {
  const rows = reports.map(it => {
    const list = it.list === '' ? it.source : `${it.source} ${it.list}`;
    const counts = [it.listed, it.gaps.length, it.healed, it.redelivered, it.lost.length].map(String);
    return [list, ...counts, span(it.behindMs / 1_000), it.reason === undefined ? it.end : `${it.end}: ${it.reason}`];
  });
  return [
    ...run.out.table(['SOURCE', 'LISTED', 'MISSING', 'HEALED', 'REDELIVERED', 'LOST', 'BEHIND', 'END'], rows),
    ...reports.flatMap(it => it.gaps.map(id => `  ${it.lost.includes(id) ? 'lost' : 'missing'}  ${id}`)),
  ];
}

function showNext(run: Run, reports: readonly ReconcileReport[], dryRun: boolean): void {
  const withGaps = reports.find(it => it.gaps.length > 0);
  if (withGaps && dryRun) run.out.next(run.command(`reconcile --source ${withGaps.source}`), 'records them');
  else if (withGaps) run.out.next(run.command(`events get ${withGaps.gaps[0]}`), 'what happened to the first');
  else run.out.next(run.command('status'), 'rates, backlog, dead letters');
}

/** Compared to the end, and nothing that the provider no longer gives. */
function exitCodeOf(reports: readonly ReconcileReport[]): ExitCode {
  const well = reports.filter(it => it.end === 'finished' && it.lost.length === 0).length;
  if (well === reports.length) return EXIT.ok;
  return well === 0 && reports.every(it => it.end !== 'finished') ? EXIT.failure : EXIT.partial;
}

function toJson({ behindMs, from, to, ...report }: ReconcileReport): Record<string, unknown> {
  return { ...report, from: toIso(from), to: toIso(to), behind_seconds: Math.round(behindMs / 1_000) };
}
