/** `holdfast runbook`: what to do about an alarm, or any page that a message names. The pages come with the program. */
import { listGuides, readRunbook } from '#operator/health/read-guide.ts';
import type { Run, RunCommand } from '../run.ts';

export function addRunbook(program: RunCommand): void {
  program
    .command('runbook')
    .argument('[alarm]', "an alarm's name, or a page's; nothing: lists the runbooks")
    .description('Print what to do about an alarm, or a page that a message names')
    .examples(
      ['holdfast runbook holdfast-prod-process-queue-age --env prod', 'the name as the alarm has it'],
      ['holdfast runbook process-queue-age --env prod', 'the same'],
      ['holdfast runbook docs/operate/alarms.md', 'a page that a message names'],
    )
    .does(async (run, alarm: string | undefined) => {
      if (alarm === undefined) return list(run);
      const { name, text } = await readRunbook(run, alarm);
      run.out.result({ runbook: name, environment: run.environment, markdown: text }, () => text.split('\n'));
    });
}

async function list(run: Run): Promise<void> {
  const pages = await listGuides('runbooks');
  run.out.result(
    pages.map(({ name, title }) => ({ runbook: name, title })),
    () => pages.map(({ name, title }) => `${name}: ${title}`),
  );
  run.out.next(run.command('runbook <alarm>'), 'prints one');
}
