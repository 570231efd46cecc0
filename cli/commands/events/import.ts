/** `holdfast import`: the events of an export, into another environment. */
import { given } from '#core/given.ts';
import { importEvents } from '#operator/events/import-events.ts';
import { openSecrets, SECRETS_FILE } from '#operator/sealed-secrets.ts';
import { bringSourceSecrets } from '#operator/sources/move-secrets.ts';
import { GOES_ON, linesOf, readText } from '../../read-input.ts';
import type { RunCommand } from '../../run.ts';

interface Options {
  readonly dryRun?: boolean;
  readonly add?: boolean;
  readonly identity?: string;
  readonly yes?: boolean;
}

export function addImport(program: RunCommand): void {
  program
    .command('import')
    .argument('<file>', 'what holdfast export wrote')
    .description(
      'Bring exported events into this environment, under their own ids. No handler runs: what has ended stays as it ended, and what has not waits behind a pause of its source',
    )
    .option('--dry-run', 'look, and write nothing')
    .option('--add', 'into an environment that holds other events, too')
    .option(
      '--identity <key-file>',
      `set secrets of sources, too: the private key (age) that opens <file>${SECRETS_FILE}`,
    )
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast import events.ndjson --env new --dry-run', 'what would be made, and what is there'],
      ['holdfast import events.ndjson --env new --yes', 'run it again after a failure: it goes on'],
    )
    .does(async (run, file: string, { dryRun = false, add = false, identity, yes }: Options) => {
      const lines = linesOf(file, 'holdfast export');
      const secrets =
        identity &&
        (await openSecrets<string>(
          'sources',
          await readText(run, `${file}${SECRETS_FILE}`),
          await readText(run, identity),
        ));
      if (!dryRun) await run.confirm(`Bring the events of ${file} into ${run.environment}?`, yes);
      const progress = run.out.progress(dryRun ? 'Looking' : 'Importing', GOES_ON);
      const result = await importEvents(run, lines, {
        ...{ dryRun, add },
        progress: (done, total) => progress.update(done, total, 'events'),
      });
      progress.end();
      const brought = secrets ? await bringSourceSecrets(run, secrets, dryRun) : undefined;
      const { events, made, there, ended, waiting, expired, withoutBody, paused } = result;
      run.out.result(
        {
          dry_run: dryRun,
          events,
          made,
          there,
          ended,
          waiting,
          expired,
          without_body: withoutBody,
          paused,
          ...given({ secrets: brought }),
        },
        () => [
          `${events} events in ${file}: ${made} ${dryRun ? 'to make' : 'made'} (${waiting} of them wait), ${there} there already`,
          ...(ended === 0
            ? []
            : [`${ended} waited here, and ended where they come from: they ${dryRun ? 'end' : 'ended'} here, too`]),
          ...(expired === 0 ? [] : [`${expired} left out: their retention is over`]),
          ...(withoutBody === 0 ? [] : [`${withoutBody} have no body any more`]),
          ...(brought === undefined
            ? []
            : [
                `secrets of sources: ${brought.set.length} ${dryRun ? 'to set' : 'set'}, ${brought.there.length} there already`,
              ]),
        ],
      );
      if (brought !== undefined && brought.left.length > 0)
        run.out.note(
          `Left as they are, with another secret here or no place for one: ${brought.left.join(', ')}. sources set-secret sets one.`,
        );
      if (paused.length === 0 || dryRun) return;
      run.out.note(
        `${paused.join(', ')} ${paused.length === 1 ? 'is' : 'are'} paused. When the old environment has stopped, export from it once more, import that, then resume.`,
      );
      for (const source of paused)
        run.out.next(run.command(`resume ${source}`), 'after the old environment has stopped');
    });
}
