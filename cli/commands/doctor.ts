/** `holdfast doctor`: checks every part an event needs, and says how to fix what is wrong. */
import { checkDeeply } from '#operator/health/deep-check.ts';
import { checkEverything } from '#operator/health/doctor.ts';
import { EXIT, type ExitCode } from '../cli-error.ts';
import type { RunCommand } from '../run.ts';

const MARKS = { ok: ['green', 'ok     '], warning: ['yellow', 'warning'], wrong: ['red', 'WRONG  '] } as const;

export function addDoctor(program: RunCommand): void {
  program
    .command('doctor')
    .description('Check configuration, access, secrets, sweeper and URLs, and say how to fix what is wrong')
    .option('--deep', 'also send signed events through the public URL, and read them back')
    .examples(
      ['holdfast doctor --env prod', 'exit code 1 when something is wrong'],
      ['holdfast doctor --deep --env dev', 'after a deploy: also sends signed events and reads them back'],
    )
    .does(async (run, options: { deep?: boolean }): Promise<ExitCode> => {
      const checks = [...(await checkEverything(run)), ...(options.deep ? await checkDeeply(run) : [])];
      const wrong = checks.filter(check => check.result === 'wrong');
      const width = Math.max(...checks.map(check => check.name.length));
      run.out.result({ healthy: wrong.length === 0, checks }, () =>
        checks.flatMap(({ name, result, text, fix }) => {
          const [style, word] = MARKS[result];
          const line = `${run.out.paint(style, word)}  ${name.padEnd(width)}  ${text}`;
          return fix === undefined ? [line] : [line, `${' '.repeat(width + 11)}${run.out.paint('cyan', fix)}`];
        }),
      );
      if (wrong.length === 0) run.out.next(run.command('status'), 'rates, backlog, dead letters');
      return wrong.length === 0 ? EXIT.ok : EXIT.failure;
    });
}
