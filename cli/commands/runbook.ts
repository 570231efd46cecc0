/** `holdfast runbook`: what to do about an alarm, or any page that a message names. The pages come with the program. */
import type { Command } from 'commander';
import { listGuides, readGuide, readPage } from '#operator/health/read-guide.ts';
import { type CommandSet, type Run, withExamples } from '../run.ts';

export function addRunbook(program: Command, set: CommandSet): void {
  withExamples(
    program
      .command('runbook')
      .argument('[alarm]', "an alarm's name, or a page's; nothing: lists the runbooks")
      .description('Print what to do about an alarm, or a page that a message names, with the environment filled in'),
    ['holdfast runbook holdfast-prod-process-queue-age --env prod', 'the name as the alarm has it'],
    ['holdfast runbook process-queue-age --env prod', 'the same'],
    ['holdfast runbook docs/operate/alarms.md', 'a page that a message names'],
  ).action(
    set.action(async (run, alarm: string | undefined) => {
      if (alarm === undefined) return list(run);
      const name = pageOf(alarm, run.environment);
      const isPage = alarm.startsWith('docs/') && !alarm.startsWith('docs/runbooks/');
      const text = filledIn(await (isPage ? readPage(alarm) : readGuide('runbooks', name)), run);
      run.out.result({ runbook: name, environment: run.environment, markdown: text }, () => text.split('\n'));
    }),
  );
}

async function list(run: Run): Promise<void> {
  const pages = await listGuides('runbooks');
  run.out.result(
    pages.map(({ name, title }) => ({ runbook: name, title })),
    () => pages.map(({ name, title }) => `${name}: ${title}`),
  );
  run.out.next(run.command('runbook <alarm>'), 'prints one');
}

/** `holdfast-prod-process-queue-age` and `process-queue-age.md` are the page `process-queue-age`. */
function pageOf(alarm: string, environment: string): string {
  const name = alarm.replace(/^.*\//, '').replace(/\.md$/, '');
  const prefix = `holdfast-${environment}-`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** The page's commands as this person types them here. */
function filledIn(markdown: string, run: Run): string {
  const { environment, program } = run;
  return markdown
    .replaceAll(/^ENV=\S+$\n?/gm, '')
    .replaceAll('$ENV', environment)
    .replaceAll('holdfast-<environment>-', `holdfast-${environment}-`)
    .replaceAll(/(?<=`)holdfast (?=[a-z])/g, `${program} `)
    .replaceAll(/^<!-- .* -->\n/gm, '')
    .trimEnd();
}
