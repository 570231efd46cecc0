import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { App, type AppProps, NestedStack } from 'aws-cdk-lib/core';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { placeholderBundles } from '#lib/bundling/bundle-functions.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { PROVIDERS } from '#providers/index.ts';
import { gateway } from '#test/fixtures/project/gateway.config.ts';
import { handlerResources } from '#test/fixtures/project/handlers/resources.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

/** The context of cdk.json, so that tests see the template the CLI would make. */
export function cdkContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(REPOSITORY, 'cdk.json'), 'utf8')).context;
}

/** What CDK keeps of where and how each construct was made: no template has it, and it was a fifth of the time of making one. */
const WITHOUT_ORIGINS = {
  'aws:cdk:disable-creation-stack-traces': true,
  'aws:cdk:disable-stack-trace': true,
  'aws:cdk:disable-logicalId-metadata': true,
  '@aws-cdk/core:enableAdditionalMetadataCollection': false,
};

/** An app whose templates are those that the CLI would make. */
export function testApp(more: AppProps = {}): App {
  const context = { ...cdkContext(), ...WITHOUT_ORIGINS };
  return new App({ analyticsReporting: false, treeMetadata: false, context, ...more });
}

export interface SynthesizedEnvironment {
  readonly stage: GatewayStage;
  readonly data: Template;
  readonly gateway: Template;
  /** Nested stacks of the gateway stack, by the id of their construct. */
  readonly nested: Readonly<Record<string, Template>>;
}

/** By environment and configuration: a worker makes each once for all its files. Nobody may change one. */
const made = new Map<string, Promise<SynthesizedEnvironment>>();

/** The templates of one environment, of the shipped configuration or of another. */
export async function synthEnvironment(
  environment: string,
  config: GatewayConfig = gateway,
): Promise<SynthesizedEnvironment> {
  const key = keyOf(environment, config);
  if (key === undefined) return await synthAnew(environment, config);
  const found = made.get(key) ?? synthAnew(environment, config);
  made.set(key, found);
  return await found;
}

/** Nothing for a configuration with code in it, such as a provider of one's own: two of them may be one text. */
function keyOf(environment: string, config: GatewayConfig): string | undefined {
  let hasCode = false;
  const key = JSON.stringify([environment, config], (_, value) => {
    hasCode ||= typeof value === 'function' || value instanceof RegExp;
    return value;
  });
  return hasCode ? undefined : key;
}

/** The stage of one environment in an app of its own; the code of its functions is a placeholder. */
export async function synthAnew(environment: string, config: GatewayConfig): Promise<SynthesizedEnvironment> {
  const stage = new GatewayStage(testApp(), {
    deployment: resolveDeployment(config, environment, PROVIDERS),
    bundles: await placeholderBundles(environment),
    handlerResources,
  });
  const nested = stage.gateway.node.findAll().filter(it => NestedStack.isNestedStack(it));
  return {
    stage,
    data: Template.fromStack(stage.data),
    gateway: Template.fromStack(stage.gateway),
    nested: Object.fromEntries(nested.map(stack => [stack.node.id, Template.fromStack(stack)])),
  };
}
