/** The CDK app: one stage per environment of the project's gateway.config.ts. */
import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { extname, join, matchesGlob } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { unheardPages } from '#core/config/alarm-services.ts';
import type { Deployment } from '#core/config/deployment.ts';
import { checkHandlerSources, unsentTypes } from '#core/config/handler-config.ts';
import { narrowAllowLists } from '#core/config/range-cover.ts';
import { ConfigError } from '#core/config/resolve-config.ts';
import { checkHandlers, checkReach } from '#core/config/route-config.ts';
import { buildCode } from '#lib/bundling/build-code.ts';
import { BundleError } from '#lib/bundling/bundle-error.ts';
import { bundleFunctions, placeholderBundles } from '#lib/bundling/bundle-functions.ts';
import { proveResources, withDrills } from '#lib/drill-resources.ts';
import { GatewayStage } from '#lib/stacks/gateway-stage.ts';
import { resolveEnvironments } from '#local/project/drill-config.ts';
import { readConfig, readHandlers, readResources } from '#local/project/project.ts';
import { goesToLocalAws } from '#local/shell/goes-to-local-aws.ts';
import { UserError } from '#local/shell/user-error.ts';
import { DRILL_ENVIRONMENT, PACKAGE_ROOT, PROJECT_ROOT, PROVE_TAG } from '#local/shell/workspace.ts';

// The feature flags the stacks were made with: of the package, so that a project need not keep them. Its own cdk.json and
// the command line come first.
const { context } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'cdk.json'), 'utf8'));
const app = new App({ analyticsReporting: false, context });
// The stacks named on the command line; `cdk ls` names none.
const wanted: readonly string[] = app.node.tryGetContext(BUNDLING_STACKS) ?? ['**'];
// `-c prove=yes`: what was asked for is an environment of `holdfast prove`, which its tag says from now on.
const proves = app.node.tryGetContext('prove') === 'yes';
// `-c environment=local`: the stages of the others, whose stacks nobody asked for, are not made. All are checked.
const only: unknown = app.node.tryGetContext('environment');
const around = {
  account: process.env['CDK_DEFAULT_ACCOUNT'],
  region: process.env['CDK_DEFAULT_REGION'],
  emulated: goesToLocalAws(),
};

try {
  const [gateway, handlers, own] = [await readConfig(), await readHandlers(), await readResources()];
  const all = resolveEnvironments(gateway, only, around);
  const deployments = all.filter(({ config }) => only === undefined || only === config.environment);
  const isWanted = ({ config }: Deployment): boolean =>
    wanted.some(pattern => matchesGlob(`${config.environment}/Gateway`, pattern));
  const problems = [
    ...all.slice(0, 1).flatMap(each => checkHandlerSources(each, handlers)),
    ...all.flatMap(each => checkHandlers(each, handlers)),
    ...deployments.filter(isWanted).flatMap(checkReach),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  const asked = deployments.filter(isWanted);
  const warnings = asked.flatMap(each => [unheardPages(each) ?? [], narrowAllowLists(each)].flat());
  for (const line of new Set([...warnings, ...asked.flatMap(each => unsentTypes(each, handlers))])) console.error(line);
  const handlersOf = (path: string): string => join(PACKAGE_ROOT, `local/${path}${extname(import.meta.filename)}`);
  const proving = deployments.map(({ config }) => [config.environment, handlersOf('prove/prove-handlers')] as const);
  const bundled = await bundleFunctions({
    configs: deployments.filter(isWanted).map(each => each.config),
    project: PROJECT_ROOT,
    aroundHandlers: proves ? Object.fromEntries(proving) : { [DRILL_ENVIRONMENT]: handlersOf('drills/drill-handlers') },
  });
  const proveBundle = proves ? await bundleProve(handlersOf('prove/function')) : undefined;
  for (const deployment of deployments) {
    const environment = deployment.config.environment;
    const bundles = bundled.get(environment) ?? (await placeholderBundles(environment, PROJECT_ROOT));
    if (proveBundle !== undefined) {
      const tags = { ...deployment.tags, [PROVE_TAG]: 'yes' };
      const handlerResources = proveResources(proveBundle);
      new GatewayStage(app, { deployment: { ...deployment, tags }, bundles, handlerResources });
      continue;
    }
    const handlerResources = environment === DRILL_ENVIRONMENT ? withDrills(own) : own;
    new GatewayStage(app, { deployment, bundles, handlerResources });
  }
  app.synth();
} catch (error) {
  // A mistake in the project is the reader's, not ours: no stack trace around it.
  if (!(error instanceof ConfigError || error instanceof UserError || error instanceof BundleError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function bundleProve(entry: string): Promise<string> {
  const folder = join(PROJECT_ROOT, '.holdfast/bundles/prove');
  const { files } = await buildCode({ name: 'prove', entry, project: PROJECT_ROOT, unused: new Set(), plugins: [] });
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, text] of files) if (!name.endsWith('.map')) await writeFile(join(folder, name), text);
  return folder;
}
