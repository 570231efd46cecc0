/** `holdfast export`: every event with its body, for another system. */
import { exportEvents } from '#operator/events/export-events.ts';
import { WHERE_SINCE } from '#operator/events/find-by-field.ts';
import { checkRecipient, SECRETS_FILE, sealSecrets } from '#operator/sealed-secrets.ts';
import { readSourceSecrets } from '#operator/sources/move-secrets.ts';
import { addFilterOptions, filterOf } from '../../filter-options.ts';
import { mustBeNew, NO_FILE, writeAfter, writeNewFile } from '../../new-file.ts';
import type { RunCommand } from '../../run.ts';

type Options = Readonly<Record<string, string | undefined>> & {
  readonly source?: string;
  readonly secrets?: string | true;
};

export function addExport(program: RunCommand): void {
  addFilterOptions(program.command('export').argument('<file>', 'a new file; only you can read it (mode 0600)'))
    .option('--secrets [key]', `write secrets of sources to <file>${SECRETS_FILE}, for this public key (age1…)`)
    .description(
      'Write events with what the provider sent, one JSON object a line, oldest first. --since is a year unless you give it',
    )
    .examples(
      ['holdfast export events.ndjson --env prod', 'everything that is kept'],
      ['holdfast export march.ndjson --source stripe --since 2026-03-01 --until 2026-04-01', 'a month of one source'],
    )
    .does(async (run, file: string, { since = WHERE_SINCE, secrets: key, ...written }: Options) => {
      const recipient = key === undefined ? undefined : await checkRecipient(key);
      const secretsFile = `${file}${SECRETS_FILE}`;
      for (const each of recipient === undefined ? [file] : [file, secretsFile]) mustBeNew(each);
      const filter = filterOf(run, { ...written, since });
      if (recipient !== undefined) {
        const secrets = await readSourceSecrets(run, written.source);
        await writeNewFile(secretsFile, [await sealSecrets(run, recipient, { of: 'sources', secrets })]);
      }
      const progress = run.out.progress('Exporting', NO_FILE);
      let events = 0;
      let withoutBody = 0;
      const lines = async function* () {
        for await (const part of exportEvents(run, filter)) {
          events += part.length;
          withoutBody += part.filter(({ body }) => body === null).length;
          progress.update(events, undefined, 'events');
          yield part.map(event => `${JSON.stringify(event)}\n`).join('');
        }
      };
      await writeAfter(recipient && secretsFile, file, lines());
      progress.end();
      run.out.result({ file, ...(recipient && { secrets: secretsFile }), events, without_body: withoutBody }, () => [
        `${events} events in ${file}${withoutBody === 0 ? '' : `; ${withoutBody} have no body any more: its retention is over`}`,
      ]);
      if (recipient !== undefined)
        run.out.note(`Secrets of sources are in ${secretsFile}, for ${recipient}; that you took them is noted.`);
    });
}
