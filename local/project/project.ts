/** What a project gives to Holdfast, by where it is found. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GatewayConfig } from '#core/config/gateway-config.ts';
import { ConfigError } from '#core/config/resolve-config.ts';
import { validateConfig } from '#core/config/validate-config.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import type { ConfigProblem } from '#core/problem.ts';
import type { HandlerResources } from '#lib/handler-resources.ts';
import { UserError } from '#local/shell/user-error.ts';
import { PROJECT_ROOT } from '#local/shell/workspace.ts';
import { PROVIDERS } from '#providers/index.ts';
import { importFile, writtenAt } from './read-anew.ts';

const CONFIG = 'gateway.config.ts';

/**
 * `gateway` of the project's gateway.config.ts; `anew`: as it and what it imports are in their files now. Throws UserError
 * where there is none, and ConfigError where a value is not what its key takes: who reads on may rely on `sources` and
 * `environments`.
 */
export async function readConfig(anew = false): Promise<GatewayConfig> {
  const read = (file: string) => importFile(file, anew);
  const config = (await load(CONFIG, 'gateway', 'defineGateway({ … })', read)) as GatewayConfig;
  const problems: ConfigProblem[] = [];
  validateConfig(config, PROVIDERS, problem => problems.push(problem));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** When it, or a file that it imports, was last written, epoch ms; 0 where there is none. */
export const configWrittenAt = (): number => writtenAt(join(PROJECT_ROOT, CONFIG));

/** `handlers` of the project's handlers/index.ts. Throws UserError where there is none. */
export async function readHandlers(): Promise<HandlerRegistry> {
  return (await load('handlers/index.ts', 'handlers', 'defineHandlers([ … ])')) as HandlerRegistry;
}

/** `handlerResources` of the project's handlers/resources.ts; where there is no such file, one that makes nothing. */
export async function readResources(): Promise<HandlerResources> {
  if (!existsSync(join(PROJECT_ROOT, 'handlers/resources.ts'))) return () => {};
  return (await load('handlers/resources.ts', 'handlerResources', '(scope, context) => { … }')) as HandlerResources;
}

const importOnce = (file: string): Promise<unknown> => import(pathToFileURL(file).href);

async function load(path: string, name: string, made: string, read = importOnce): Promise<unknown> {
  const file = join(PROJECT_ROOT, path);
  if (!existsSync(file)) {
    const fix = 'Start inside your project, or make one: npm create holdfast';
    throw new UserError(`There is no ${path} in ${PROJECT_ROOT}. ${fix}`);
  }
  const module = (await read(file).catch(explain)) as Record<string, unknown>;
  if (module[name] === undefined)
    throw new UserError(`${path} has no export "${name}": export const ${name} = ${made}`);
  return module[name];
}

/** Node before 22.18 cannot read TypeScript, and says so in a way that helps nobody. */
function explain(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION')) throw error;
  throw new UserError(
    `Holdfast needs Node 22.18 or newer; this is ${process.version}. Install a newer one: https://nodejs.org`,
  );
}
