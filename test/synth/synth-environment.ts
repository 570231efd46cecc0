import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { gateway } from '#config';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { handlerResources } from '#handlers/resources.ts';
import { placeholderBundles } from '#lib/bundling/bundle-functions.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { PROVIDERS } from '#providers/index.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

/** The context of cdk.json, so that tests see the template the CLI would make. */
export function cdkContext(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(REPOSITORY, 'cdk.json'), 'utf8')).context;
}

export interface SynthesizedEnvironment {
  readonly app: App;
  readonly stage: GatewayStage;
  readonly data: Template;
  readonly gateway: Template;
}

/** The stage of one environment in an app of its own; the code of its functions is a placeholder. */
async function buildStage(
  environment: string,
  config: GatewayConfig = gateway,
): Promise<{ app: App; stage: GatewayStage }> {
  const app = new App({ analyticsReporting: false, context: cdkContext() });
  const deployment = resolveDeployment(config, environment, PROVIDERS);
  const stage = new GatewayStage(app, {
    deployment,
    bundles: await placeholderBundles(environment),
    handlerResources,
  });
  return { app, stage };
}

/** The templates of one environment. */
export async function synthEnvironment(environment: string, config?: GatewayConfig): Promise<SynthesizedEnvironment> {
  const { app, stage } = await buildStage(environment, config);
  return { app, stage, data: Template.fromStack(stage.data), gateway: Template.fromStack(stage.gateway) };
}
