/** `holdfast prove`: deploys an environment of its own, breaks AWS under it, compares, and removes it. */
import { given } from '#core/given.ts';
import { billLines } from '#local/prove/bill.ts';
import { silentProgress, terminalProgress } from '#local/shell/progress.ts';
import { EXIT, type ExitCode, usageError } from '../cli-error.ts';
import type { RunCommand } from '../run.ts';

const MOST_DOLLARS = 1_000;

interface ProveOptions {
  readonly short?: boolean;
  readonly yes?: boolean;
  readonly maxDollars: string;
  readonly port?: string;
  readonly bill?: boolean;
}

export function addProve(program: RunCommand): void {
  program
    .command('prove')
    .description('Deploy a disposable environment, break AWS under it on purpose, compare, and remove it')
    .option('--short', 'ten thousand events instead of a million')
    .option('--max-dollars <number>', 'do not begin, and send no more, above that', '15')
    .option('--port <number>', 'of the local AWS, where the environment is local')
    .option('--yes', 'do not ask')
    .option('--bill', 'a day later: what AWS billed for the last run, beside what was predicted; costs $0.01')
    .examples(
      ['holdfast prove --env local', 'on this machine, in about four minutes'],
      ['holdfast prove --env prove --short', 'in an account; it says price and time, and asks'],
      ['holdfast prove --env prove --bill', 'a day later'],
    )
    .does(async (run, { short = false, yes, maxDollars: text, port, bill }: ProveOptions) => {
      if (bill) {
        const found = await run.proveBill(run.deployment, () => run.clock.now());
        run.out.result(found, () => billLines(found));
        return EXIT.ok;
      }
      const maxDollars = Number(text);
      if (!(maxDollars > 0 && maxDollars <= MOST_DOLLARS))
        throw usageError(`--max-dollars: "${text.slice(0, 40)}"`, `0.01 to ${MOST_DOLLARS}`, 'give a number, e.g. 15');
      const { deployment } = run;
      const confirm = (question: string): Promise<void> => run.confirm(question, yes);
      const progress = run.out.json ? silentProgress : terminalProgress();
      const { held, differs, notShown, report } = await run.prove({
        ...{ deployment, short, maxDollars, progress, confirm, ...given({ port }) },
      });
      run.out.result({ held, differs, not_shown: notShown, report }, () => [
        `held ${held.length}, differs ${differs.length}, not shown ${notShown.length}`,
        ...differs.map(line => `  differs: ${line}`),
        `The report: ${report}`,
      ]);
      return differs.length === 0 ? EXIT.ok : (EXIT.failure satisfies ExitCode);
    });
}
