import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, NestedStack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
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

export interface SynthesizedEnvironment {
  readonly stage: GatewayStage;
  readonly data: Template;
  readonly gateway: Template;
  /** Nested stacks of the gateway stack, by the id of their construct. */
  readonly nested: Readonly<Record<string, Template>>;
}

/** The shipped configuration's, by environment: a worker makes each once for all its files. Nobody may change one. */
const shipped = new Map<string, Promise<SynthesizedEnvironment>>();

/** The templates of one environment, of the shipped configuration or of another. */
export async function synthEnvironment(environment: string, config?: GatewayConfig): Promise<SynthesizedEnvironment> {
  if (config) return await synthesize(environment, config);
  const made = shipped.get(environment) ?? synthesize(environment, gateway);
  shipped.set(environment, made);
  return await made;
}

/** The stage of one environment in an app of its own; the code of its functions is a placeholder. */
async function synthesize(environment: string, config: GatewayConfig): Promise<SynthesizedEnvironment> {
  const stage = new GatewayStage(new App({ analyticsReporting: false, context: cdkContext() }), {
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
