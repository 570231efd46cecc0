/** One run of a command: its options, its output, and the environment it works on, opened when first needed. */
import type { Command } from 'commander';
import { systemClock } from '#adapters/system.ts';
import type { Deployment } from '#core/config/deployment.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { SourceId } from '#core/glossary.ts';
import type { Clock } from '#core/ports.ts';
import { closest } from '#core/problem.ts';
import type { PublishedLists } from '#operator/address-ranges.ts';
import type { Gateway } from '#operator/gateway.ts';
import { CliError, EXIT, type ExitCode, usageError } from '#operator/operator-error.ts';
import type { Io } from './io.ts';
import { Output } from './output.ts';

/** What the commands need of the world; tests give their own. */
export interface Services {
  readonly io: Io;
  readonly clock?: Clock;
  readDeployment(environment: string): Deployment;
  openGateway(deployment: Deployment): Promise<Gateway>;
  readonly publishedLists: PublishedLists;
}

export interface GlobalOptions {
  readonly env: string;
  readonly json: boolean;
}

export class Run {
  readonly io: Io;
  readonly out: Output;
  readonly environment: string;
  readonly clock: Clock;
  readonly publishedLists: PublishedLists;
  private readonly services: Services;
  private opened: Promise<Gateway> | undefined;
  private known: Deployment | undefined;

  constructor(services: Services, options: GlobalOptions) {
    this.services = services;
    this.io = services.io;
    this.clock = services.clock ?? systemClock;
    this.publishedLists = services.publishedLists;
    this.environment = options.env;
    this.out = new Output(this.io, { json: options.json, now: () => this.clock.now() });
  }

  get deployment(): Deployment {
    this.known ??= this.services.readDeployment(this.environment);
    return this.known;
  }

  gateway(): Promise<Gateway> {
    this.opened ??= this.services.openGateway(this.deployment);
    return this.opened;
  }

  get sourceIds(): readonly SourceId[] {
    return this.deployment.sources.map(each => each.source.id);
  }

  /** A configured source by its name. Throws CliError (usage) with the nearest one. */
  source(name: string): ResolvedSource {
    const found = this.deployment.sources.find(each => each.source.id === name);
    if (found) return found.source;
    const near = closest(name, this.sourceIds);
    const fix = near === undefined ? 'give one of them, or add it to gateway.config.ts' : `did you mean ${near}?`;
    throw usageError(`No source "${name.slice(0, 60)}" in ${this.environment}`, this.sourceIds.join(', '), fix);
  }

  /** The command a person types to do something here, begun as this one was, with the environment where it is not the default. */
  command(text: string): string {
    const program = this.io.env['npm_lifecycle_event'] === 'holdfast' ? 'npm run holdfast --' : 'holdfast';
    return `${program} ${text}${this.environment === DEFAULT_ENVIRONMENT ? '' : ` --env ${this.environment}`}`;
  }

  /** Why somebody does this, as given or asked for; the `"…"` of a command that was pasted is no reason. Throws CliError (usage). */
  async reason(given: string | undefined): Promise<string> {
    const text = given?.trim() ?? '';
    if (text !== '' && !PLACEHOLDER.test(text)) return text.slice(0, 500);
    if (this.io.stdinIsTTY && !this.out.json) {
      const answer = (await this.io.ask('Why? The next person reads it: ')).trim();
      if (answer !== '') return answer.slice(0, 500);
    }
    const wrong = text === '' ? 'No reason (--why)' : `--why: "${text.slice(0, 40)}"`;
    throw usageError(wrong, 'a text that the next person understands', '--why "schema fixed in v42"');
  }

  /** Asks before something that cannot be taken back. Without a terminal only --yes is an answer. */
  async confirm(question: string, yes: boolean | undefined): Promise<void> {
    if (yes === true) return;
    if (!this.io.stdinIsTTY || this.out.json) {
      throw usageError(`Not done: ${question}`, 'this without a terminal only with --yes', 'add --yes');
    }
    const answer = await this.io.ask(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new CliError('Nothing was done', EXIT.failure);
  }
}

export const DEFAULT_ENVIRONMENT = 'local';
const PLACEHOLDER = /^(?:…|\.\.\.|<.*>)$/;

/** What commands are made with: runs an action, keeps its exit code, and gives it its `Run`. */
export class CommandSet {
  exitCode: ExitCode = EXIT.ok;
  private readonly services: Services;

  constructor(services: Services) {
    this.services = services;
  }

  /** An action whose result is the exit code (nothing: 0). The command's options come last. */
  action<Args extends unknown[]>(work: (run: Run, ...args: Args) => Promise<ExitCode | undefined> | Promise<void>) {
    return async (...all: unknown[]): Promise<void> => {
      const command = all.pop() as Command;
      const options = command.optsWithGlobals<GlobalOptions>();
      const run = new Run(this.services, options);
      // The last of the others are the command's own options: a parent may have taken some of them for its own.
      this.exitCode = (await work(run, ...([...all.slice(0, -1), options] as Args))) ?? EXIT.ok;
    };
  }
}

/** A command with its examples, which every `--help` shows. */
export function withExamples(command: Command, ...examples: readonly (readonly [string, string])[]): Command {
  const lines = examples.map(([line, about]) => `  $ ${line}\n      ${about}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}
