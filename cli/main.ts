/** The CLI as a function: arguments and a terminal in, an exit code out. */
import { type Command, CommanderError, Option } from 'commander';
import { SECOND_MS } from '#core/time.ts';
import { VERSION } from '#core/version.ts';
import { explainError, isUnforeseen } from '#operator/explain-error.ts';
import { DEFAULT_ENVIRONMENT } from '#operator/operator.ts';
import { EXIT, type ExitCode, exitCodeOf } from './cli-error.ts';
import { addAlarms } from './commands/alarms.ts';
import { addCompletion } from './commands/completion.ts';
import { addConsole } from './commands/console.ts';
import { addCost } from './commands/cost.ts';
import { addDlq } from './commands/dlq/dlq.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events/events.ts';
import { addExport } from './commands/events/export.ts';
import { addImport } from './commands/events/import.ts';
import { addListen } from './commands/listen.ts';
import { addLogs } from './commands/logs.ts';
import { addMcp } from './commands/mcp.ts';
import { addMute } from './commands/mute.ts';
import { addOut } from './commands/out/out.ts';
import { addPause } from './commands/pause.ts';
import { addProcessor } from './commands/processor.ts';
import { addProve } from './commands/prove.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addRefused } from './commands/refused.ts';
import { addReplay } from './commands/replay.ts';
import { addRunNow } from './commands/run-now.ts';
import { addRunbook } from './commands/runbook.ts';
import { addSend } from './commands/send.ts';
import { addSlo } from './commands/slo.ts';
import { addSecrets } from './commands/sources/secrets.ts';
import { addSources } from './commands/sources/sources.ts';
import { addStatus } from './commands/status.ts';
import { addVerify } from './commands/verify.ts';
import { goneCommand } from './gone-commands.ts';
import { isStopped } from './io.ts';
import { withoutControls } from './output.ts';
import { PROGRAM_WORDS } from './programs.ts';
import { CommandSet, RunCommand, type Services } from './run.ts';
import { GLOBAL_OPTIONS, unknownCommand } from './unknown-command.ts';

const ABOUT = `Look after a Holdfast gateway: see what arrived and what failed, and run it again.
Data goes to stdout, everything else to stderr. Every command takes --json.
Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 credentials, 5 partly done, 130 stopped.`;

/** To a command that goes on for a second after Ctrl-C. */
const STOPPING = 'It ends after this step. Ctrl-C once more ends it at once; what was done stays.';

/** By the word that a command line of it begins with, in the order of the help. */
const COMMANDS: readonly (readonly [words: string, add: (program: RunCommand) => void])[] = [
  ['replay', addReplay],
  ['dlq', addDlq],
  ['refused', addRefused],
  ['events', addEvents],
  ['send', addSend],
  ['verify sign', addVerify],
  ['status', addStatus],
  ['doctor', addDoctor],
  ['out', addOut],
  ['pause resume', addPause],
  ['mute unmute', addMute],
  ['alarms', addAlarms],
  ['processor', addProcessor],
  ['sources', addSources],
  ['secrets', addSecrets],
  ['reconcile', addReconcile],
  ['listen', addListen],
  ['logs', addLogs],
  ['export', addExport],
  ['import', addImport],
  ['run', addRunNow],
  ['slo', addSlo],
  ['runbook', addRunbook],
  ['console', addConsole],
  ['mcp', addMcp],
  ['cost', addCost],
  ['prove', addProve],
  ['completion', addCompletion],
];

/** Runs one command line (without node and script). Never throws. */
export async function runCli(args: readonly string[], services: Services): Promise<ExitCode> {
  const { io } = services;
  const set = new CommandSet(services);
  const program = buildProgram(set, services, args);
  let hint: NodeJS.Timeout | undefined;
  const sayLater = (): void => {
    if (isStopped(io)) hint = setTimeout(() => io.stderr.write(`${STOPPING}\n`), SECOND_MS);
  };
  io.interrupted.addEventListener('abort', sayLater);
  try {
    const wrong = goneCommand(args) ?? unknownCommand(args, program);
    if (wrong !== undefined) throw wrong;
    await program.parseAsync([...args], { from: 'user' });
    return set.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const explained = explainError(error);
    io.stderr.write(`${withoutControls(explained.message)}\n`);
    if (isUnforeseen(error) || io.env['HOLDFAST_DEBUG']) io.stderr.write(`${(error as Error).stack}\n`);
    return exitCodeOf(explained);
  } finally {
    clearTimeout(hint);
    io.interrupted.removeEventListener('abort', sayLater);
  }
}

/** Of every command, or of the one that a command line begins with. */
export function buildProgram(set: CommandSet, { io }: Pick<Services, 'io'>, args: readonly string[] = []): Command {
  const program = new RunCommand(set, 'holdfast');
  program
    .description(ABOUT)
    .version(VERSION)
    .addOption(
      new Option('--env <name>', 'which environment of gateway.config.ts').default(
        io.env['HOLDFAST_ENV'] ?? DEFAULT_ENVIRONMENT,
        'HOLDFAST_ENV, or local',
      ),
    )
    .option('--json', 'print JSON on stdout (commands that go on print one object on each line)', false)
    .option('--utc', 'show times in UTC, not in your zone (TZ); JSON is always UTC', false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => io.stderr.write(text),
      getOutHelpWidth: () => Math.min(100, io.stdout.columns),
      getErrHelpWidth: () => Math.min(100, io.stderr.columns),
    })
    .showHelpAfterError('(add --help for what is allowed, with examples)')
    .exitOverride();
  const [word = ''] = args.join(' ').replace(GLOBAL_OPTIONS, '').split(' ');
  // All of them take longer to make than most take to run; what completes them needs them all.
  const named = word === 'completion' ? [] : COMMANDS.filter(([words]) => words.split(' ').includes(word));
  for (const [, add] of named.length > 0 ? named : COMMANDS) add(program);
  const programs = Object.entries(PROGRAM_WORDS).map(([name, words]) => `\n  ${name.padEnd(9)}${words}`);
  program.addHelpText('after', `\nPrograms of the project:${programs.join('')}`);
  program.addHelpText(
    'after',
    '\nExamples:\n  $ holdfast status\n      one screen with rates, backlog, dead letters and alarms\n  $ holdfast dlq ls\n      what died, grouped by source, type and cause',
  );
  return program;
}
