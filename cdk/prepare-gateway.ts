import { join } from 'node:path';
import type { Deployment } from '#core/config/deployment.ts';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { checkHandlerSources, unsentTypes } from '#core/config/handler-config.ts';
import { ConfigError, resolveDeployment } from '#core/config/resolve-config.ts';
import { checkHandlers, checkReach } from '#core/config/route-config.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import { bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import type { Bundles } from '#lib/bundling/function-names.ts';
import { PROVIDERS } from '#providers/index.ts';

/** What `prepareGateway` needs to know. */
export interface PrepareOptions {
  /** As `defineGateway()` made it. */
  readonly gateway: GatewayConfig;
  /** As `defineHandlers()` made it: checked against the configuration, not bundled. */
  readonly handlers: HandlerRegistry;
  /** One of `gateway.environments`. */
  readonly environment: string;
  /** The folder that holds `handlers/index.ts`, which is bundled. @default the current folder */
  readonly project?: string;
}

/** A checked configuration and the code of its functions: what a `HoldfastStage` is made of. */
export interface PreparedGateway {
  readonly deployment: Deployment;
  readonly bundles: Bundles;
}

/**
 * Checks one environment and bundles its functions into `.holdfast/bundles` below `project`. Throws ConfigError with
 * every mistake in the configuration, and what esbuild says of a handler that does not compile.
 * @example
 * const prepared = await prepareGateway({ gateway, handlers, environment: 'prod' });
 */
export async function prepareGateway(options: PrepareOptions): Promise<PreparedGateway> {
  const { gateway, handlers, environment, project = process.cwd() } = options;
  const deployment = resolveDeployment(gateway, environment, PROVIDERS);
  const problems = [
    ...checkHandlerSources(deployment, handlers),
    ...checkHandlers(deployment, handlers),
    ...checkReach(deployment),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  for (const line of unsentTypes(deployment, handlers)) process.emitWarning(line);
  const outputFolder = join(project, '.holdfast/bundles');
  const bundled = await bundleFunctions({ configs: [deployment.config], project, outputFolder });
  const bundles = bundled.get(deployment.config.environment);
  if (!bundles) throw new Error(`${environment} was not bundled`);
  return { deployment, bundles };
}
