import type { Deployment } from '#core/config/deployment.ts';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { goesToLocalAws } from '#local/shell/goes-to-local-aws.ts';
import type { OperatorOptions } from '#operator/operator.ts';
import { resolveEnvironment } from './drill-config.ts';
import { configWrittenAt, readConfig } from './project.ts';

/** A mistake in it is told by the command that needs it, not by the import. */
const read = (anew = false) =>
  readConfig(anew).then(
    gateway => ({ gateway }),
    (error: unknown) => ({ error }),
  );
let project = await read();

/** gateway.config.ts of the project, as written. Throws what reading it threw. */
export function writtenConfig(): GatewayConfig {
  if ('error' in project) throw project.error;
  return project.gateway;
}

/** One environment of the project's gateway.config.ts, checked. Throws ConfigError with every problem, also for an unknown name. */
export function readDeployment(environment: string): Deployment {
  return resolveEnvironment(writtenConfig(), environment, { emulated: goesToLocalAws() });
}

/** For who stays while others change the project: its configuration, with the providers that it imports. */
export const reread: NonNullable<OperatorOptions['reread']> = {
  writtenAt: configWrittenAt,
  async deployment(environment) {
    project = await read(true);
    return readDeployment(environment);
  },
};
