/** `holdfast out export`: event types, applications and endpoints, for another environment or another system. */
import { mustBeNew, NO_FILE, writeAfter, writeNewFile } from '#cli/new-file.ts';
import type { RunCommand } from '#cli/run.ts';
import { readEndpointSecrets } from '#operator/customers/customer-secrets.ts';
import { exportCustomers } from '#operator/customers/export-customers.ts';
import { checkRecipient, SECRETS_FILE, sealSecrets } from '#operator/sealed-secrets.ts';

export function addOutExport(out: RunCommand): void {
  out
    .command('export')
    .argument('<file>', 'a new file; only you can read it (mode 0600)')
    .description(
      'Write event types, customers, endpoints and contacts as JSON. Without secrets, and with values of headers masked',
    )
    .option(
      '--secrets [key]',
      `write secrets and values of headers to <file>${SECRETS_FILE}, for this public key (age1…)`,
    )
    .examples(
      ['holdfast out export customers.json --env prod', 'all of them'],
      ['holdfast out export customers.json --secrets age1…', 'with their secrets, which only the private key opens'],
    )
    .does(async (run, file: string, { secrets: key }: { readonly secrets?: string | true }) => {
      const recipient = key === undefined ? undefined : await checkRecipient(key);
      const secretsFile = `${file}${SECRETS_FILE}`;
      for (const each of recipient === undefined ? [file] : [file, secretsFile]) mustBeNew(each);
      const progress = run.out.progress('Exporting', NO_FILE);
      const all = await exportCustomers(run, (done, total) => progress.update(done, total, 'applications'));
      progress.end();
      const endpoints = all.applications.reduce((sum, each) => sum + each.endpoints.length, 0);
      const counts = { event_types: all.event_types.length, applications: all.applications.length, endpoints };
      if (recipient !== undefined) {
        const secrets = await readEndpointSecrets(run, all);
        await writeNewFile(secretsFile, [await sealSecrets(run, recipient, { of: 'endpoints', secrets })]);
      }
      await writeAfter(recipient && secretsFile, file, [`${JSON.stringify(all, null, 2)}\n`]);
      const more = recipient === undefined ? {} : { secrets: secretsFile };
      run.out.result({ file, ...more, ...counts }, () => [
        `${counts.event_types} event types, ${counts.applications} applications, ${counts.endpoints} endpoints in ${file}`,
      ]);
      run.out.note(
        recipient === undefined
          ? 'It has no secrets: give --secrets and a public key (age1…) for those.'
          : `Their secrets are in ${secretsFile}, for ${recipient}; that you took them is noted.`,
      );
    });
}
