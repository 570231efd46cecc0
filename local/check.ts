/** `holdfast check`: everything about a project that can be known without building or deploying it. */
import { checkHandlerSources, unsentTypes } from '#core/config/handler-config.ts';
import { ConfigError, resolveDeployment } from '#core/config/resolve-config.ts';
import { checkHandlers, checkReach } from '#core/config/route-config.ts';
import { readConfig, readHandlers } from '#local/project/project.ts';
import { runMain } from '#local/shell/run-main.ts';
import { PROVIDERS } from '#providers/index.ts';

await runMain(async () => {
  const [gateway, handlers] = [await readConfig(), await readHandlers()];
  const deployments = Object.keys(gateway.environments).map(name => resolveDeployment(gateway, name, PROVIDERS));
  const problems = [
    ...deployments.slice(0, 1).flatMap(each => checkHandlerSources(each, handlers)),
    ...deployments.flatMap(each => [...checkHandlers(each, handlers), ...checkReach(each)]),
  ];
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
