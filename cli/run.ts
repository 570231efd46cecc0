/** One run of a command: its options, its output, and the environment it works on, opened when first needed. */
import { Command } from 'commander';
import { systemClock } from '#adapters/system.ts';
import { given } from '#core/given.ts';
import type { Clock } from '#core/ports.ts';
import type { ProveOptions, ProveResult, proveBill } from '#local/prove.ts';
import type { PortalPlace } from '#operator/customers/portal-api.ts';
import { Operator, type OperatorOptions } from '#operator/operator.ts';
import { readReason } from '#operator/reason.ts';
import type { PublishedLists } from '#operator/sources/address-ranges.ts';
import { EXIT, type ExitCode, OperatorError, usageError } from './cli-error.ts';
import type { Io } from './io.ts';
import { Output } from './output.ts';

/** What the commands need of the world; tests give their own. */
export interface Services extends Pick<OperatorOptions, 'readDeployment' | 'reread' | 'openGateway' | 'readHandlers'> {
  readonly io: Io;
  readonly clock?: Clock;
  readonly publishedLists: PublishedLists;
  /** Absent: not in this program. */
  readonly prove?: Prove;
  /** Absent: not in this program. */
  readonly proveBill?: typeof proveBill;
  /** Serves the console. Absent: not in this program. */
  readonly startConsole?: StartConsole;
  /** Serves an agent. Absent: not in this program. */
  readonly serveAgent?: ServeAgent;
}

/** As console/server/start-console.ts does it; the CLI and the console know nothing of each other. */
type StartConsole = (options: {
  readonly operator: Operator;
  readonly readOnly: boolean;
  readonly program: string;
  readonly port: number | undefined;
}) => Promise<{ readonly url: string; open(): void; close(): Promise<void> }>;

/** As mcp/serve-agent.ts does it, over stdin and stdout, until stdin ends or `until` is aborted. */
type ServeAgent = (options: {
  readonly operator: Operator;
  readonly allow: ReadonlySet<AgentRight>;
  /** Events or deliveries that one call may touch. */
  readonly limit: number;
  /** Instead of an environment: the application of a token, over the portal's API. */
  readonly portal?: PortalPlace;
  readonly until: AbortSignal;
  /** Of what the client sent and nobody can answer. */
  tell?(problem: string): void;
}) => Promise<void>;

/** What an agent may do beside looking: `holdfast mcp --allow`. */
export const AGENT_RIGHTS = ['bodies', 'replay', 'pause', 'retry'] as const;
export type AgentRight = (typeof AGENT_RIGHTS)[number];

/** As local/prove.ts does it, which loads what deploys. */
type Prove = (options: ProveOptions) => Promise<ProveResult>;

export interface GlobalOptions {
  readonly env: string;
  readonly json: boolean;
  readonly utc?: boolean;
}

export class Run extends Operator {
  readonly io: Io;
  readonly out: Output;
  readonly publishedLists: PublishedLists;
  readonly startConsole: StartConsole;
  readonly serveAgent: ServeAgent;
  readonly prove: Prove;
  readonly proveBill: typeof proveBill;

  constructor(services: Services, options: GlobalOptions) {
    const { io } = services;
    super({
      environment: options.env,
      clock: services.clock ?? systemClock,
      by: io.user,
      program: io.env['npm_lifecycle_event'] === 'holdfast' ? 'npm run holdfast --' : 'holdfast',
      readDeployment: name => services.readDeployment(name),
      openGateway: deployment => services.openGateway(deployment),
      ...given({ readHandlers: services.readHandlers, reread: services.reread }),
    });
    this.io = io;
    this.publishedLists = services.publishedLists;
    const cannot = (text: string) => () => Promise.reject(new OperatorError(`This program ${text}`));
    const cannotDeploy = cannot('cannot deploy: run npx holdfast prove inside your project');
    this.prove = services.prove ?? cannotDeploy;
    this.proveBill = services.proveBill ?? cannotDeploy;
    this.startConsole = services.startConsole ?? cannot('was started without the console: run npx holdfast console');
    this.serveAgent = services.serveAgent ?? cannot('was started without a server for agents: run npx holdfast mcp');
    this.out = new Output(io, { json: options.json, utc: options.utc === true, now: () => this.clock.now() });
  }

  /** Why somebody does this, as given or asked for; the `"…"` of a command that was pasted is no reason. Throws OperatorError (usage). */
  async reason(given: string | undefined): Promise<string> {
    const said = readReason(given);
    if (said !== undefined) return said;
    if (this.io.stdinIsTTY && !this.out.json) {
      const answer = (await this.io.ask('Why? The next person reads it: ')).trim();
      if (answer !== '') return answer.slice(0, 500);
    }
    const text = given?.trim() ?? '';
    const wrong = text === '' ? 'No reason (--why)' : `--why: "${text.slice(0, 40)}"`;
    throw usageError(wrong, 'a text that the next person understands', '--why "schema fixed in v42"');
  }

  /** Asks before something that cannot be taken back. Without a terminal only --yes is an answer. */
  async confirm(question: string, yes: boolean | undefined): Promise<void> {
    if (yes === true) return;
    if (!this.io.stdinIsTTY || this.out.json) {
      throw usageError(
        `Not done, because nobody can answer here: ${question}`,
        'a terminal to ask in, or --yes',
        'add --yes',
      );
    }
    const answer = await this.io.ask(`${question} [y/N] `);
    if (!/^y(?:es)?$/i.test(answer.trim()))
      throw new OperatorError('Nothing was done: the answer was not y', 'failure');
  }
}

/** What the commands of a program share: what they need of the world, and how the one that ran has ended. */
export class CommandSet {
  exitCode: ExitCode = EXIT.ok;
  readonly services: Services;

  constructor(services: Services) {
    this.services = services;
  }
}

/** A command that says what it does with a `Run`; its subcommands are such, too. */
export class RunCommand extends Command {
  readonly #set: CommandSet;

  constructor(set: CommandSet, name?: string) {
    super(name);
    this.#set = set;
  }

  override createCommand(name?: string): RunCommand {
    return new RunCommand(this.#set, name);
  }

  /** Every `--help` shows them. */
  examples(...examples: readonly (readonly [line: string, about: string])[]): this {
    const lines = examples.map(([line, about]) => `  $ ${line}\n      ${about}`);
    return this.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
  }

  /** Its result is the exit code (nothing: 0). The command's options come last. */
  does<Args extends unknown[]>(work: (run: Run, ...args: Args) => Promise<ExitCode | undefined> | Promise<void>): this {
    return this.action(async (...all: unknown[]) => {
      const command = all.pop() as Command;
      const options = command.optsWithGlobals<GlobalOptions>();
      const run = new Run(this.#set.services, options);
      // The last of the others are the command's own options: a parent may have taken some of them for its own.
      this.#set.exitCode = (await work(run, ...([...all.slice(0, -1), options] as Args))) ?? EXIT.ok;
    });
  }
}
