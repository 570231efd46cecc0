/** `npm run diff -- <environment>`: what a deploy would replace, delete and permit, and what it costs. Changes nothing. */
import { parseArgs } from 'node:util';
import { findLocalAws } from '#local/emulator/emulator.ts';
import { readDeployment, writtenConfig } from '#local/project/sources.ts';
import { runMain } from '#local/shell/run-main.ts';
import { UserError } from '#local/shell/user-error.ts';
import { DRILL_ENVIRONMENT, LOCAL_ENVIRONMENT } from '#local/shell/workspace.ts';

async function main(): Promise<number> {
  const usage = `Usage: npm run diff -- <environment>\nEnvironments in gateway.config.ts: ${Object.keys(writtenConfig().environments).join(', ')}`;
  const { positionals } = parseArgs({ allowPositionals: true, strict: false });
  const [environment, ...others] = positionals;
  if (environment === undefined || others.length > 0) throw new UserError(usage, 2);
  const deployment = readDeployment(environment);
  const isHere = environment === LOCAL_ENVIRONMENT || environment === DRILL_ENVIRONMENT;
  const local = isHere ? await findLocalAws() : undefined;
  if (isHere && local === undefined)
    throw new UserError('No local AWS is running to compare with. Start it in another terminal: npm start');
  // Once it is needed: what compares templates takes a third of a second to load.
  const { showChanges } = await import('#local/stacks/show-changes.ts');
  const { lines } = await showChanges(deployment, local);
  console.log(lines.join('\n'));
  return 0;
}

await runMain(main);
