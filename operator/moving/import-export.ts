/** From the text of an export to what is there afterwards. */

import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { readExport } from './export-file.ts';
import { planFromConvoy } from './from-convoy.ts';
import { planFromOutpost } from './from-outpost.ts';
import { planFromSvix } from './from-svix.ts';
import type { ImportPlan } from './plan.ts';
import { type ImportResult, type ImportWay, runImport } from './run-import.ts';

const READERS = { svix: planFromSvix, convoy: planFromConvoy, outpost: planFromOutpost };
export type ExportedFrom = keyof typeof READERS;
export const EXPORTED_FROM = Object.keys(READERS) as readonly ExportedFrom[];

/** What is in the file, by the rules of the environment. Throws OperatorError for a file that holds nothing of that system. */
export async function readPlan(operator: Operator, from: ExportedFrom, text: string): Promise<ImportPlan> {
  const { deployment, clock } = await operator.gateway();
  const { outbound } = deployment.config;
  if (outbound === undefined)
    throw new OperatorError(
      `${deployment.config.environment} sends no webhooks: add \`outbound\` to it in gateway.config.ts, and deploy`,
      'usage',
    );
  const { headerPrefix, ports, allowAddresses } = outbound;
  const target = { ports, ownHosts: [], allowAddresses: deployment.emulated ? allowAddresses : [] };
  const plan = READERS[from](readExport(text), { headerPrefix, target, now: clock.now() });
  if (plan.types.length + plan.applications.length + plan.left.length === 0)
    throw new OperatorError(
      `The file holds nothing that ${from} exports: docs/send/moving.md names the scripts that make one`,
      'usage',
    );
  return plan;
}

export async function importPlan(
  operator: Operator,
  plan: ImportPlan,
  way: Pick<ImportWay, 'from' | 'dryRun' | 'progress'>,
): Promise<ImportResult> {
  const { delivery, clock } = await operator.gateway();
  return runImport(await delivery(), plan, { ...way, by: operator.by, now: () => clock.now() });
}
