/** What every project has for its drills, whatever its gateway.config.ts says. */
import type { GatewayConfig, SourceConfig } from '#core/config/gateway-config.ts';
import { DRILL_ENVIRONMENT } from '#local/shell/workspace.ts';

const SENDER: SourceConfig = { provider: 'generic' };

/**
 * The configuration with the environment `drill`, and the two sources that drills send to: in it alone, so nothing of
 * them is deployed elsewhere. What a project says of this environment itself comes first. Unchanged where neither it is
 * `asked` for nor the project names it.
 */
export function withDrillEnvironment(config: GatewayConfig, asked: unknown): GatewayConfig {
  const written = config.environments[DRILL_ENVIRONMENT];
  if (asked !== DRILL_ENVIRONMENT && written === undefined) return config;
  const { default: own, github = { provider: 'github' } } = config.sources;
  return {
    ...config,
    sources: { ...config.sources, default: own?.provider === SENDER.provider ? own : SENDER, github },
    environments: {
      ...config.environments,
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
