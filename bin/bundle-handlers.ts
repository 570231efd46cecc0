/**
 * `bundle-handlers <environment> <folder>`: the process function of an environment with the project's handlers and
 * configuration as they are now, for `npm start -- --watch`. Prints the folder of the bundle.
 */
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { checkHandlers } from '#core/config/route-config.ts';
import { bundleFunctions } from '#lib/bundling/bundle-functions.ts';
import { readConfig, readHandlers } from '#local/project/project.ts';
import { PROJECT_ROOT } from '#local/shell/workspace.ts';
import { PROVIDERS } from '#providers/index.ts';

const [, , environment = '', outputFolder = ''] = process.argv;
try {
  const [gateway, handlers] = [await readConfig(), await readHandlers()];
  const deployment = resolveDeployment(gateway, environment, PROVIDERS);
  const [problem] = checkHandlers(deployment, handlers);
  if (problem) throw new Error(`${problem.path}: ${problem.given}; allowed: ${problem.allowed}; ${problem.fix}`);
  const configs = [deployment.config];
  const bundled = await bundleFunctions({ configs, functions: ['process'], project: PROJECT_ROOT, outputFolder });
  console.log(bundled.get(environment)?.process);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
