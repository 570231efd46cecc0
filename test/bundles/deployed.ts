/** What a deploy would make, read from the synthesized templates: functions with their code, tables, queues, rights. */
import { join } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import type { Bundles } from '#lib/bundling/function-names.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { PROVIDERS } from '#providers/index.ts';
import { handlerResources } from '#test/fixtures/project/handlers/resources.ts';
import { cdkContext } from '#test/lib/synth/synth-environment.ts';
import { ACCOUNT, CONFIGURATIONS, MAY_CALL_THIS_MACHINE, REGION, type StageName } from './configurations.ts';

// biome-ignore lint/suspicious/noExplicitAny: a template is untyped JSON
type Json = any;

/** One statement of a role, its values resolved. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
}
export interface DeployedFunction {
  /** Of its construct, e.g. `Ingest` or `DrainFast`. */
  readonly id: string;
  /** The asset: what would be uploaded. */
  readonly folder: string;
  /** e.g. `index.handler`. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly statements: readonly Statement[];
}
export interface Deployed {
  readonly functions: Readonly<Record<string, DeployedFunction>>;
  /** As `CreateTable` takes them. */
  readonly tables: readonly Json[];
  /** Names. */
  readonly queues: readonly string[];
  readonly buckets: readonly string[];
  /** Of the bundles, by function name: where esbuild's record of each lies beside. */
  readonly bundles: Bundles;
}

interface Place {
  /** Where queues are: their URLs begin with it. */
  readonly queueBase: string;
  /** Of the names of tables, queues and buckets: stages share the services. */
  readonly prefix: string;
}

interface Stack {
  readonly template: Json;
  readonly stacks: readonly Stack[];
}

export async function deployed(
  name: StageName,
  { folder, project, ...place }: Place & { readonly folder: string; readonly project: string },
): Promise<Deployed> {
  const emulated = MAY_CALL_THIS_MACHINE.includes(name);
  const deployment = resolveDeployment(CONFIGURATIONS[name], name, PROVIDERS, { emulated });
  const built = await bundleFunctions({
    configs: [deployment.config],
    outputFolder: join(folder, 'bundles'),
    project,
    aroundHandlers: { everything: join(import.meta.dirname, 'handlers.ts') },
  });
  const bundles = built.get(name) as Bundles;
  const context = { ...cdkContext(), 'aws:cdk:enable-asset-metadata': true, 'aws:cdk:enable-path-metadata': true };
  const app = new App({ analyticsReporting: false, context, outdir: join(folder, 'cdk.out') });
  const stage = new GatewayStage(app, { deployment, bundles, handlerResources });
  const assembly = stage.synth();
  const all: Stack[] = [];
  for (const artifact of assembly.stacks) all.push({ template: artifact.template, stacks: all });
  const assets = assembly.directory;

  const functions: Record<string, DeployedFunction> = {};
  for (const stack of all) {
    const { Resources } = stack.template;
    for (const resource of Object.values<Json>(Resources)) {
      if (resource.Type !== 'AWS::Lambda::Function' || resource.Metadata?.['aws:asset:path'] === undefined) continue;
      const { Handler, Environment, Timeout, Role } = resource.Properties;
      // Ours are `<Id>/Function/Resource`; others are custom resources of the deploy itself.
      const [id = '', kind] = String(resource.Metadata['aws:cdk:path']).split('/').slice(-3);
      if (kind !== 'Function') continue;
      functions[id] = {
        id,
        folder: join(assets, resource.Metadata['aws:asset:path']),
        handler: Handler,
        environment: Object.fromEntries(
          Object.entries<Json>(Environment?.Variables ?? {}).map(([key, value]) => [
            key,
            String(resolved(value, stack, place)),
          ]),
        ),
        timeoutMs: Number(Timeout ?? 3) * 1_000,
        statements: statementsOf(Role, stack, place),
      };
    }
  }
  const resources = all.flatMap(({ template }) => Object.entries<Json>(template.Resources));
  const ofType = (type: RegExp) => resources.filter(([, { Type }]) => type.test(Type));
  return {
    functions,
    bundles,
    tables: ofType(/^AWS::DynamoDB::(Global)?Table$/).map(([id, { Properties }]) => ({
      TableName: nameOf(id, place),
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: Properties.KeySchema,
      AttributeDefinitions: Properties.AttributeDefinitions,
      ...(Properties.GlobalSecondaryIndexes && {
        GlobalSecondaryIndexes: Properties.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: Json) => ({
          IndexName,
          KeySchema,
          Projection,
        })),
      }),
    })),
    queues: ofType(/^AWS::SQS::Queue$/).map(([id]) => nameOf(id, place)),
    buckets: ofType(/^AWS::S3::Bucket$/).map(([id]) => nameOf(id, place).toLowerCase()),
  };
}

const nameOf = (id: string, { prefix }: Place): string => `${prefix}-${id}`;

function statementsOf(role: Json, stack: Stack, place: Place): Statement[] {
  const roleId = role?.['Fn::GetAtt']?.[0];
  const { Resources } = stack.template;
  const documents = [
    ...(Resources[roleId]?.Properties.Policies ?? []).map((it: Json) => it.PolicyDocument),
    ...Object.values<Json>(Resources)
      .filter(it => it.Type === 'AWS::IAM::Policy' && it.Properties.Roles?.some((r: Json) => r.Ref === roleId))
      .map(it => it.Properties.PolicyDocument),
  ];
  const list = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);
  return documents.flatMap(document =>
    list(document.Statement).map(
      (it: Json): Statement => ({
        effect: it.Effect,
        actions: list(it.Action).map(String),
        resources: list(it.Resource ?? '*').map(each => String(resolved(each, stack, place))),
      }),
    ),
  );
}

/** A value of a template as it would be after the deploy, by names that this suite gives. */
function resolved(value: Json, stack: Stack, place: Place): Json {
  const inner = (each: Json): Json => resolved(each, stack, place);
  if (Array.isArray(value)) return value.map(inner);
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', undefined]] = Object.entries<Json>(value);
  switch (name) {
    case 'Ref':
      return reference(argument, stack, place);
    case 'Fn::GetAtt':
      return attribute(argument[0], argument[1], stack, place);
    case 'Fn::Join':
      return argument[1].map((each: Json) => String(inner(each))).join(argument[0]);
    case 'Fn::Select':
      return inner(argument[1])[Number(argument[0])];
    case 'Fn::Split':
      return String(inner(argument[1])).split(argument[0]);
    case 'Fn::ImportValue': {
      const key = inner(argument);
      for (const other of stack.stacks) {
        for (const output of Object.values<Json>(other.template.Outputs ?? {}))
          if (output.Export && resolved(output.Export.Name, other, place) === key)
            return resolved(output.Value, other, place);
      }
      throw new Error(`no stack exports ${String(key)}`);
    }
    case 'Fn::GetStackOutput': {
      for (const other of stack.stacks) {
        const output = other.template.Outputs?.[argument.OutputName];
        if (output) return resolved(output.Value, other, place);
      }
      throw new Error(`no stack has the output ${argument.OutputName}`);
    }
    default:
      throw new Error(`a value that this suite cannot resolve: ${JSON.stringify(value).slice(0, 200)}`);
  }
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

function reference(id: string, { template }: Stack, place: Place): string {
  const pseudo = PSEUDO[id];
  if (pseudo !== undefined) return pseudo;
  const { Type, Properties } = template.Resources[id] ?? {};
  if (Type === 'AWS::SQS::Queue') return `${place.queueBase}/${ACCOUNT}/${nameOf(id, place)}`;
  if (Type === 'AWS::S3::Bucket') return nameOf(id, place).toLowerCase();
  if (Type === 'AWS::SNS::Topic') return arnOf('sns', id);
  if (Type === 'AWS::SecretsManager::Secret') return arnOf('secretsmanager', `secret:${Properties?.Name ?? id}-AbCdEf`);
  if (Type === 'AWS::DynamoDB::GlobalTable' || Type === 'AWS::DynamoDB::Table') return nameOf(id, place);
  return id;
}

const arnOf = (service: string, resource: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;

function attribute(id: string, name: string, { template }: Stack, place: Place): string {
  const { Type } = template.Resources[id] ?? {};
  if (Type === 'AWS::SQS::Queue') {
    const queue = nameOf(id, place);
    return name === 'Arn' ? arnOf('sqs', queue) : queue;
  }
  if (Type === 'AWS::S3::Bucket')
    return name === 'Arn' ? `arn:aws:s3:::${nameOf(id, place).toLowerCase()}` : nameOf(id, place).toLowerCase();
  if (/^AWS::DynamoDB/.test(String(Type))) return arnOf('dynamodb', `table/${nameOf(id, place)}`);
  if (Type === 'AWS::Lambda::Function') return arnOf('lambda', `function:${id}`);
  return name === 'ApiEndpoint' ? `https://${id.toLowerCase()}.example.com` : `${id}.${name}`;
}
