/** `holdfast out rotate-master`: a new secret under which the secrets of all endpoints are sealed. */
import type { RunCommand } from '#cli/run.ts';
import { toIso } from '#core/time.ts';
import { rotateMaster } from '#operator/customers/rotate-master.ts';

const STEPS = {
  announced: 'every function reads the new master secret, and seals nothing with it yet',
  sealing: 'every function seals with the new master secret',
} as const;

export function addOutMaster(out: RunCommand): void {
  out
    .command('rotate-master')
    .description(
      'Seal the secrets of all endpoints under a new master secret. It may be cut off anywhere and run again',
    )
    .option('--yes', 'do not ask')
    .examples([
      'holdfast out rotate-master',
      'a quarter of an hour; no endpoint gets another secret, no delivery waits',
    ])
    .does(async (run, { yes }: { readonly yes?: boolean }) => {
      await run.confirm(`Rotate the master secret of ${run.environment}? Links to the portal end with it`, yes);
      const done = await rotateMaster(run, (step, until) => run.out.note(`until ${toIso(until)}: ${STEPS[step]}`));
      run.out.result(done, () => [
        `The secrets of ${done.endpoints} endpoints are under the new master secret, ${done.resealed} of them sealed anew; the old one opens nothing any more`,
      ]);
    });
}
