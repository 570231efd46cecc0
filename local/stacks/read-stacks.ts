/** The stacks of an environment twice: as they are deployed, and as a synthesis wrote them. Nested stacks are stacks here. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type CloudFormationClient,
  DescribeStackResourcesCommand,
  GetTemplateCommand,
} from '@aws-sdk/client-cloudformation';
import { given } from '#core/given.ts';
import type { StackPair, Template } from './compare-templates.ts';

interface Manifest {
  readonly artifacts?: Readonly<
    Record<string, { type: string; environment?: string; properties?: Record<string, unknown> }>
  >;
}

/** Of a stack's own region; `unknown-region` is that of the credentials. */
export type ClientOf = (region: string | undefined) => CloudFormationClient;

interface Nested {
  readonly Type: string;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** `directory` is the cloud assembly of the environment's stage. Throws what AWS answers, but for a stack that is not there. */
export async function readStackPairs(directory: string, clientOf: ClientOf): Promise<readonly StackPair[]> {
  const { artifacts = {} } = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  const stacks = Object.values(artifacts).filter(each => each.type === 'aws:cloudformation:stack');
  const pairs = stacks.map(async ({ environment, properties = {} }) => {
    const client = clientOf(regionOf(environment));
    const name = String(properties['stackName']);
    const next = await readTemplate(join(directory, String(properties['templateFile'])));
    const deployed = await deployedTemplate(client, name);
    const nested = await readNested({ directory, client, name, next, deployed });
    return [{ name, next, ...given({ deployed }) }, ...nested];
  });
  return (await Promise.all(pairs)).flat();
}

/** Of `aws://<account>/<region>`. */
function regionOf(environment: string | undefined): string | undefined {
  const region = environment?.split('/')[3];
  return region === 'unknown-region' ? undefined : region;
}

interface Parent {
  readonly directory: string;
  readonly client: CloudFormationClient;
  readonly name: string;
  readonly next: Template;
  readonly deployed: Template | undefined;
}

async function readNested({ directory, client, name, next, deployed }: Parent): Promise<readonly StackPair[]> {
  const isNested = ([, each]: [string, Nested]): boolean => each.Type === 'AWS::CloudFormation::Stack';
  const files = new Map(
    Object.entries<Nested>(next.Resources ?? {})
      .filter(isNested)
      .map(([id, { Metadata: metadata }]) => [id, metadata?.['aws:asset:path']]),
  );
  const there = Object.entries<Nested>(deployed?.Resources ?? {}).filter(isNested);
  const ids = new Set([...files.keys(), ...there.map(([id]) => id)]);
  if (ids.size === 0) return [];
  const resources = deployed && (await client.send(new DescribeStackResourcesCommand({ StackName: name })));
  const pairs = [...ids].map(async id => {
    const physical = resources?.StackResources?.find(it => it.LogicalResourceId === id)?.PhysicalResourceId;
    const before = physical === undefined ? undefined : await deployedTemplate(client, physical);
    const file = files.get(id);
    const after = file === undefined ? { Resources: {} } : await readTemplate(join(directory, String(file)));
    return { name: `${name}/${id}`, next: after, ...given({ deployed: before }) };
  });
  return await Promise.all(pairs);
}

async function readTemplate(path: string): Promise<Template> {
  return JSON.parse(await readFile(path, 'utf8')) as Template;
}

/** Undefined for a stack that is not there. */
export async function deployedTemplate(client: CloudFormationClient, name: string): Promise<Template | undefined> {
  try {
    const { TemplateBody: body = '{}' } = await client.send(
      new GetTemplateCommand({ StackName: name, TemplateStage: 'Original' }),
    );
    return JSON.parse(body) as Template;
  } catch (error) {
    if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message))
      return undefined;
    throw error;
  }
}
