/**
 * What a person may do with a deployed environment. Two faces use this folder: cli/ (arguments in, text out) and
 * console/ (HTTP in, JSON out). Neither knows the other, and what one can do the other can do with the same call.
 *
 * A new action goes here as a function of a file of its own, named by what it does: `operator` first, plain data in and
 * out, errors as OperatorError. It formats no text for a screen and reads no options: that is the face's. Then add a
 * command to cli/commands/, a row to console/server/routes.ts, and both to test/surfaces/operator/two-faces.test.ts.
 */
import type { Deployment } from '#core/config/deployment.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EpochMs, SourceId } from '#core/glossary.ts';
import type { HandlerRegistry } from '#core/handler/handler-contract.ts';
import type { Clock } from '#core/ports.ts';
import { meant } from '#core/problem.ts';
import type { Gateway } from './gateway.ts';
import { usageError } from './operator-error.ts';

/** A look that takes no more read units than this is not announced. */
export const READS_UNSAID = 50;

export interface OperatorOptions {
  readonly environment: string;
  readonly clock: Clock;
  /** Who acts, for the records of replays and pauses. */
  readonly by: string;
  /** How a person begins a command here: `holdfast`, or `npm run holdfast --`. */
  readonly program: string;
  readDeployment(environment: string): Deployment;
  openGateway(deployment: Deployment): Promise<Gateway>;
  /** The configuration as it is in its file now, and when that was written. Absent: it stays as it was read. */
  readonly reread?: { writtenAt(): EpochMs; deployment(environment: string): Promise<Deployment> };
  /** The project's handlers. Absent: they are not at hand, and nothing is said of them. */
  readHandlers?(): Promise<HandlerRegistry>;
}

export const DEFAULT_ENVIRONMENT = 'local';

/** One person at one environment, which is opened when it is first needed. */
export class Operator {
  readonly environment: string;
  readonly clock: Clock;
  readonly by: string;
  /** How a person begins a command here. */
  readonly program: string;
  readonly #options: OperatorOptions;
  #opened: Promise<Gateway> | undefined;
  #known: Deployment | undefined;
  #writtenAt: EpochMs | undefined;

  constructor(options: OperatorOptions) {
    this.environment = options.environment;
    this.clock = options.clock;
    this.by = options.by;
    this.program = options.program;
    this.#options = options;
    this.#writtenAt = options.reread?.writtenAt();
  }

  get deployment(): Deployment {
    this.#known ??= this.#options.readDeployment(this.environment);
    return this.#known;
  }

  /** Opened once. An attempt that failed is made again: credentials may have come since. */
  gateway(): Promise<Gateway> {
    this.#opened ??= this.#options.openGateway(this.deployment).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /**
   * Takes the configuration as it is now, if it was written and the environment was deployed since it was read. False: there
   * is nothing new. What was read stays where the new one cannot be read.
   */
  async refresh(): Promise<boolean> {
    const { reread, openGateway } = this.#options;
    const writtenAt = reread?.writtenAt();
    if (reread === undefined || writtenAt === this.#writtenAt) return false;
    const [{ deployedAt: before = 0 }, { deployedAt = 0 }] = await Promise.all([
      this.gateway(),
      openGateway(this.deployment),
    ]);
    if (deployedAt <= before) return false;
    const deployment = await reread.deployment(this.environment);
    const gateway = await openGateway(deployment);
    this.#known = deployment;
    this.#opened = Promise.resolve(gateway);
    this.#writtenAt = writtenAt;
    return true;
  }

  /** The project's handlers; undefined where they are not at hand. */
  async handlers(): Promise<HandlerRegistry | undefined> {
    return await this.#options.readHandlers?.();
  }

  get sourceIds(): readonly SourceId[] {
    return this.deployment.sources.map(each => each.source.id);
  }

  /** A configured source by its name. Throws OperatorError (usage) with the nearest one. */
  source(name: string): ResolvedSource {
    const found = this.deployment.sources.find(each => each.source.id === name);
    if (found) return found.source;
    const fix = meant(name, this.sourceIds, 'give one of them, or add it to gateway.config.ts');
    throw usageError(`No source "${name.slice(0, 60)}" in ${this.environment}`, this.sourceIds.join(', '), fix);
  }

  /** The command a person types to do something here, with the environment where it is not the default. */
  command(text: string): string {
    return `${this.program} ${text}${this.environment === DEFAULT_ENVIRONMENT ? '' : ` --env ${this.environment}`}`;
  }
}
