/** What every project has for its drills, whatever its gateway.config.ts says. */
import type { Deployment } from '#core/config/deployment.ts';
import type { GatewayConfig, SourceConfig } from '#core/config/gateway-config.ts';
import { resolveDeployment, type Surroundings } from '#core/config/resolve-config.ts';
import { DRILL_ENVIRONMENT } from '#local/shell/workspace.ts';
import { PROVIDERS } from '#providers/index.ts';

const SENDER: SourceConfig = { provider: 'generic' };

/**
 * One environment of a project, or the one of its drills, each with the sources that are its own. Throws ConfigError with
 * every problem, also for an unknown name.
 */
export function resolveEnvironment(config: GatewayConfig, name: string, around?: Surroundings): Deployment {
  return resolveDeployment(withDrillEnvironment(config, name), name, PROVIDERS, around);
}

/**
 * Every environment that a project names, and the one of its drills if it is `asked` for; what is asked for alone may go
 * to a local AWS. Throws as `resolveEnvironment`.
 */
export function resolveEnvironments(config: GatewayConfig, asked?: unknown, around: Surroundings = {}): Deployment[] {
  const names = new Set(Object.keys(config.environments));
  if (asked === DRILL_ENVIRONMENT) names.add(asked);
  return [...names].map(name =>
    resolveEnvironment(config, name, { ...around, emulated: around.emulated && name === asked }),
  );
}

/**
 * For `drill`, that environment alone, with the two sources that drills send to: nothing of them is deployed elsewhere.
 * What a project says of this environment itself comes first, but for the silence of `github`. For any other, the
 * configuration without it.
 */
export function withDrillEnvironment(config: GatewayConfig, asked: string): GatewayConfig {
  const { [DRILL_ENVIRONMENT]: written, ...others } = config.environments;
  if (asked !== DRILL_ENVIRONMENT) return written === undefined ? config : { ...config, environments: others };
  const { default: own, github = { provider: 'github' } } = config.sources;
  return {
    ...config,
    sources: { ...config.sources, default: own?.provider === SENDER.provider ? own : SENDER, github },
    environments: {
      [DRILL_ENVIRONMENT]: {
        probe: true,
        queue: { maxConcurrency: 2 },
        thresholds: { 'process-queue-age': 10 },
        ...written,
        sources: { ...written?.sources, github: { ...written?.sources?.['github'], silence: 5 } },
      },
    },
  };
}
