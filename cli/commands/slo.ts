/** `holdfast slo`: the objectives, what was kept of them in 30 days, and what is left of each budget. */
import { isMissed, OBJECTIVES, readServiceLevels, type ServiceLevel } from '#operator/health/service-levels.ts';
import { EXIT } from '../cli-error.ts';
import type { RunCommand } from '../run.ts';

export function addSlo(program: RunCommand): void {
  program
    .command('slo')
    .description('Show service levels of the last 30 days, and what is left of each budget')
    .examples(
      ['holdfast slo --env prod', 'exit code 1 when a budget is overspent'],
      ['holdfast slo --env prod --json', 'for a report'],
    )
    .does(async run => {
      const read = await readServiceLevels(run);
      const levels: readonly ServiceLevel[] =
        read ?? OBJECTIVES.map(it => ({ ...it, good: undefined, bad: 0, of: 0, budgetLeft: undefined }));
      const value = levels.map(({ name, means, objective, good, bad, of, budgetLeft }) => ({
        ...{ name, means, objective, good: good ?? null, bad, of, budget_left: budgetLeft ?? null },
      }));
      run.out.result(value, () => [
        ...run.out.table(
          ['LEVEL', 'OBJECTIVE', '30 DAYS', 'BUDGET LEFT', 'OF'],
          levels.map(it => [it.name, percent(it.objective), keptText(it), leftText(run, it), it.means]),
        ),
      ]);
      if (read === undefined) run.out.note('The local AWS keeps no metrics: only the objectives are shown.');
      return levels.some(isMissed) ? EXIT.failure : undefined;
    });
}

/** Cut, not rounded: 99.9 % is said only of what has reached it. */
const percent = (share: number): string => `${Math.floor(share * 100_000 + 1e-6) / 1_000} %`;

const keptText = ({ good, bad, objective }: ServiceLevel): string => {
  if (good === undefined) return 'no number';
  return objective === 1 ? `${bad} found` : `${percent(good)} (${bad.toLocaleString('en')} bad)`;
};

function leftText({ out }: { readonly out: { paint(color: 'red', text: string): string } }, it: ServiceLevel): string {
  const text =
    it.budgetLeft === undefined ? '' : it.budgetLeft < 0 ? 'overspent' : `${Math.floor(it.budgetLeft * 100)} %`;
  return isMissed(it) ? out.paint('red', text || 'none allowed') : text;
}
