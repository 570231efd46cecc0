/** `holdfast run`: a function of a schedule, now. */
import type { Command } from 'commander';
import { closest } from '#core/problem.ts';
import { SCHEDULED, type Scheduled } from '#operator/gateway.ts';
import { usageError } from '../cli-error.ts';
import { type CommandSet, withExamples } from '../run.ts';

const isScheduled = (name: string): name is Scheduled => SCHEDULED.some(it => it === name);

export function addRunNow(program: Command, set: CommandSet): void {
  withExamples(
    program
      .command('run')
      .argument('<function>', SCHEDULED.join(', '))
      .description('Run a function now that a schedule runs otherwise'),
    ['holdfast run audit --env prod', 'at most 15 minutes; the night goes on from there'],
    ['holdfast run sweep --env prod', 'when its schedule is off'],
  ).action(
    set.action(async (run, name: string) => {
      if (!isScheduled(name)) {
        const near = closest(name, SCHEDULED);
        throw usageError(
          `run: "${name}"`,
          SCHEDULED.join(', '),
          near === undefined ? 'one of these' : `did you mean ${near}?`,
        );
      }
      await (await run.gateway()).begin(name);
      run.out.result({ started: name }, () => [`${name} has begun`]);
      run.out.next(run.command(`logs --of ${name} --since 1m --tail`), 'what it does');
    }),
  );
}
