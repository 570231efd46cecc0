/** `holdfast check`: everything about a project that can be known without building or deploying it. */
import { join } from 'node:path';
import type { Deployment } from '#core/config/deployment.ts';
import { checkHandlerSources, unsentTypes } from '#core/config/handler-config.ts';
import { ConfigError } from '#core/config/resolve-config.ts';
import { checkHandlers, checkReach } from '#core/config/route-config.ts';
import type { ConfigProblem } from '#core/problem.ts';
import { resolveEnvironments } from '#local/project/drill-config.ts';
import { readConfig, readHandlers } from '#local/project/project.ts';
import { runMain } from '#local/shell/run-main.ts';
import { HOLDFAST_DIRECTORY, PROJECT_ROOT } from '#local/shell/workspace.ts';

await runMain(async () => {
  const [gateway, handlers] = [await readConfig(), await readHandlers()];
  const deployments = resolveEnvironments(gateway);
  const problems = [
    ...deployments.slice(0, 1).flatMap(each => checkHandlerSources(each, handlers)),
    ...deployments.flatMap(each => [...checkHandlers(each, handlers), ...checkReach(each)]),
  ];
  for (const each of deployments) problems.push(...(await checkThresholds(each)));
  if (problems.length > 0) throw new ConfigError(problems);
  for (const line of new Set(deployments.flatMap(each => unsentTypes(each, handlers)))) console.error(line);
  const count = (things: object, one: string): string => {
    const { length } = Object.keys(things);
    return `${length} ${one}${length === 1 ? '' : 's'}`;
  };
  console.log(
    `gateway.config.ts is right: ${count(gateway.sources, 'source')}, ${count(gateway.environments, 'environment')}`,
  );
  return 0;
});

/** Which alarms there are is known where they are made: the stage, without its code and the project's own resources. */
async function checkThresholds(deployment: Deployment): Promise<readonly ConfigProblem[]> {
  if (Object.keys(deployment.thresholds).length === 0) return [];
  const [{ App }, { placeholderBundles }, { GatewayStage }] = await Promise.all([
    import('aws-cdk-lib/core'),
    import('#lib/bundling/bundle-functions.ts'),
    import('#lib/stacks/gateway-stage.ts'),
  ]);
  const app = new App({ analyticsReporting: false, outdir: join(HOLDFAST_DIRECTORY, 'check') });
  const bundles = await placeholderBundles(deployment.config.environment, PROJECT_ROOT);
  try {
    new GatewayStage(app, { deployment, bundles, handlerResources: () => {} });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
