/** `holdfast run`: a function of a schedule, now. */
import { SCHEDULED } from '#operator/gateway.ts';
import { oneOf } from '../filter-options.ts';
import type { RunCommand } from '../run.ts';

export function addRunNow(program: RunCommand): void {
  program
    .command('run')
    .argument('<function>', SCHEDULED.join(', '))
    .description('Run a function now that a schedule runs otherwise')
    .examples(
      ['holdfast run audit --env prod', 'at most 15 minutes; the night goes on from there'],
      ['holdfast run sweep --env prod', 'when its schedule is off'],
    )
    .does(async (run, name: string) => {
      await (await run.gateway()).begin(oneOf('run', name, SCHEDULED));
      run.out.result({ started: name }, () => [`${name} has begun`]);
      run.out.next(run.command(`logs --of ${name} --since 1m --tail`), 'what it does');
    });
}
