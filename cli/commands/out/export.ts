/** `holdfast out export`: event types, applications and endpoints, for another system. */
import type { Command } from 'commander';
import { writeNewFile } from '#cli/new-file.ts';
import { type CommandSet, withExamples } from '#cli/run.ts';
import { exportCustomers } from '#operator/customers/export-customers.ts';

export function addOutExport(out: Command, set: CommandSet): void {
  withExamples(
    out
      .command('export')
      .argument('<file>', 'a new file; only you can read it (mode 0600)')
      .description(
        'Write event types, customers and their endpoints as JSON, as the delivery API shows them: without secrets, and with values of headers masked',
      ),
    ['holdfast out export customers.json --env prod', 'all of them'],
  ).action(
    set.action(async (run, file: string) => {
      const progress = run.out.progress('Exporting');
      let counts = { event_types: 0, applications: 0, endpoints: 0 };
      const whole = async function* () {
        const all = await exportCustomers(run, (done, total) => progress.update(done, total, 'applications'));
        const endpoints = all.applications.reduce((sum, each) => sum + each.endpoints.length, 0);
        counts = { event_types: all.event_types.length, applications: all.applications.length, endpoints };
        yield `${JSON.stringify(all, null, 2)}\n`;
      };
      await writeNewFile(file, whole());
      progress.end();
      run.out.result({ file, ...counts }, () => [
        `${counts.event_types} event types, ${counts.applications} applications, ${counts.endpoints} endpoints in ${file}`,
      ]);
      run.out.note('It has no secrets: GET /v1/apps/<app>/endpoints/<endpoint>/secret shows one to who may read it.');
    }),
  );
}
