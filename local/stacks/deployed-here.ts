/** What runs in this local AWS, as other processes on this machine learn it: who deploys says it in a file. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SourceId, toSourceId } from '#core/glossary.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import type { SynthesizedStack } from './assembly.ts';
import type { DeployedStack } from './deployed-stack.ts';

export interface DeployedHere {
  readonly instanceId: string;
  /** Of templates and assets. */
  readonly hash: string;
  /** Templates as the CDK wrote them. */
  readonly stacks: readonly SynthesizedStack[];
}

const fileOf = (aws: LocalAws, environment: string): string => join(aws.directory, `deployed-${environment}.json`);

/** Undefined: nothing is deployed to this instance, or a deployment is going on. */
export async function readDeployedHere(aws: LocalAws, environment: string): Promise<DeployedHere | undefined> {
  try {
    const record = JSON.parse(await readFile(fileOf(aws, environment), 'utf8')) as DeployedHere;
    return record.instanceId === aws.instanceId ? record : undefined;
  } catch {
    return undefined;
  }
}

export async function saveDeployedHere(
  aws: LocalAws,
  environment: string,
  deployed: Omit<DeployedHere, 'instanceId'>,
): Promise<void> {
  await writeFile(fileOf(aws, environment), JSON.stringify({ instanceId: aws.instanceId, ...deployed }));
}

/** The next deployment is not left out, whatever its templates are. */
export async function forgetDeployedHere(aws: LocalAws, environment: string): Promise<void> {
  await rm(fileOf(aws, environment), { force: true });
}

export interface DeployedSourceUrl {
  readonly id: SourceId;
  readonly url: string;
}

/** The sources that are deployed, by the outputs of the stacks: the configuration may be ahead of them. */
export function deployedSources(stacks: readonly DeployedStack[]): readonly DeployedSourceUrl[] {
  return stacks.flatMap(({ template, outputs }) =>
    Object.entries(template.Outputs ?? {}).flatMap(([name, { Description: description = '' }]) => {
      const id = /\(source ([a-z0-9-]+)\)$/.exec(description)?.[1];
      return id !== undefined && name.startsWith('WebhookUrl')
        ? [{ id: toSourceId(id), url: outputs[name] ?? '' }]
        : [];
    }),
  );
}
