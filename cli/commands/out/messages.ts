/** `holdfast out export-messages` and `import-messages`: what was published and what became of it, to another environment. */
import { EXIT } from '#cli/cli-error.ts';
import { mustBeNew, NO_FILE, writeNewFile } from '#cli/new-file.ts';
import { GOES_ON, linesOf } from '#cli/read-input.ts';
import type { RunCommand } from '#cli/run.ts';
import { exportMessages, stopSending } from '#operator/customers/export-messages.ts';
import { importMessages } from '#operator/customers/import-messages.ts';

interface ExportOptions {
  readonly stop?: boolean;
  readonly yes?: boolean;
}
interface ImportOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export function addOutMessages(out: RunCommand): void {
  out
    .command('export-messages')
    .argument('<file>', 'a new file; only you can read it (mode 0600)')
    .description('Write messages with bodies and deliveries, one JSON object a line')
    .option('--stop', 'pause every endpoint first, for good: when you move')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast out export-messages messages.ndjson --env prod', 'everything that is kept'],
      [
        'holdfast out export-messages last.ndjson --env prod --stop',
        'the last one of a move: nothing is sent afterwards',
      ],
    )
    .does(async (run, file: string, { stop = false, yes }: ExportOptions) => {
      mustBeNew(file);
      let paused: number | undefined;
      if (stop) {
        await run.confirm(`Pause every endpoint of ${run.environment}?`, yes);
        paused = await stopSending(run);
      }
      const progress = run.out.progress('Exporting', NO_FILE);
      let [messages, deliveries, withoutBody] = [0, 0, 0];
      const lines = async function* () {
        for await (const part of exportMessages(run, (done, total) => progress.update(done, total, 'applications'))) {
          messages += part.length;
          deliveries += part.reduce((sum, each) => sum + each.deliveries.length, 0);
          withoutBody += part.filter(({ body }) => body === null).length;
          yield part.map(each => `${JSON.stringify(each)}\n`).join('');
        }
      };
      await writeNewFile(file, lines());
      progress.end();
      const all = { messages, deliveries, without_body: withoutBody };
      run.out.result({ file, ...all, ...(paused !== undefined && { paused }) }, () => [
        `${messages} messages with ${deliveries} deliveries in ${file}${withoutBody === 0 ? '' : `; ${withoutBody} have no body any more`}`,
        ...(paused === undefined ? [] : [`${paused} endpoints paused: ${run.environment} sends nothing`]),
      ]);
    });

  out
    .command('import-messages')
    .argument('<file>', 'what holdfast out export-messages wrote')
    .description(
      'Bring exported messages under their own ids, to customers that are here. Nothing is sent: what waits does so until its endpoint is resumed',
    )
    .option('--dry-run', 'look, and write nothing')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast out import-messages messages.ndjson --env new --dry-run', 'what would be made, and what is there'],
      ['holdfast out import-messages messages.ndjson --env new --yes', 'run it again after a failure: it goes on'],
    )
    .does(async (run, file: string, { dryRun = false, yes }: ImportOptions) => {
      const lines = linesOf(file, 'holdfast out export-messages');
      if (!dryRun) await run.confirm(`Bring the messages of ${file} into ${run.environment}?`, yes);
      const progress = run.out.progress(dryRun ? 'Looking' : 'Importing', GOES_ON);
      const result = await importMessages(run, lines, {
        dryRun,
        progress: (done, total) => progress.update(done, total, 'messages'),
      });
      progress.end();
      const { messages, made, there, expired, withoutBody, deliveries, left } = result;
      const counts = { messages, made, there, expired, without_body: withoutBody, deliveries, left };
      run.out.result({ dry_run: dryRun, ...counts }, () => [
        `${messages} messages in ${file}: ${made} ${dryRun ? 'to make' : 'made'}, ${there} there already`,
        `their deliveries: ${deliveries.made} ${dryRun ? 'to make' : 'made'} (${deliveries.waiting} of them wait), ${deliveries.there} there already`,
        ...(deliveries.ended === 0
          ? []
          : [
              `${deliveries.ended} waited here, and ended where they come from: they ${dryRun ? 'end' : 'ended'} here, too`,
            ]),
        ...(expired === 0 ? [] : [`${expired} left out: their retention is over`]),
        ...(withoutBody === 0 ? [] : [`${withoutBody} have no body any more`]),
        ...(left.length === 0 ? [] : ['', 'Not carried over:']),
        ...left.flatMap(({ what, why, fix, messages: many }) => [
          `${run.out.paint('red', what)} (${many}): ${why}`,
          `    ${fix}`,
        ]),
      ]);
      return left.length > 0 && !dryRun ? EXIT.partial : EXIT.ok;
    });
}
