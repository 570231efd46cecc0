/** A command line that names no command: what was written, which there are, and the nearest. */
import type { Command } from 'commander';
import { closest } from '#core/problem.ts';
import type { OperatorError } from '#operator/operator-error.ts';
import { usageError } from './cli-error.ts';
import { PROGRAM_WORDS } from './programs.ts';

/** Options before the command; `--env` takes a value. */
export const GLOBAL_OPTIONS = /^(?:--env[= ]\S+ |--(?:json|utc) )*/;

/** Programs whose first argument is their environment. */
const OF_AN_ENVIRONMENT = ['deploy', 'diff', 'destroy'];

/** A program comes here only behind options. */
function programBehind(options: string, name: string, environment: string): OperatorError {
  const needs = OF_AN_ENVIRONMENT.includes(name);
  const given = /--env[= ](\S+)/.exec(options)?.[1] ?? (/^[a-z]/.test(environment) ? environment : '<environment>');
  const called = `holdfast ${name}`;
  return usageError(
    `holdfast ${options}${name}: options before a program`,
    `${called}${needs ? ' and its environment' : ''}: programs of the project take no --env, --json or --utc`,
    needs ? `${called} ${given}` : called,
  );
}

/** What to say of it. Undefined: every word that must be a command is one. */
export function unknownCommand(args: readonly string[], program: Command): OperatorError | undefined {
  const line = args.join(' ');
  const [options = ''] = GLOBAL_OPTIONS.exec(line) ?? [];
  const words = line.slice(options.length).split(' ');
  const [name = '', environment = ''] = words;
  if (Object.hasOwn(PROGRAM_WORDS, name)) return programBehind(options, name, environment);
  let group = program;
  let path = 'holdfast';
  for (const word of words) {
    // One with arguments of its own takes any word; a group takes none but its commands.
    if (word === '' || word.startsWith('-') || group.commands.length === 0 || group.registeredArguments.length > 0)
      return undefined;
    const names = [
      ...group.commands.map(it => it.name()).filter(name => name !== 'help'),
      ...(group === program ? Object.keys(PROGRAM_WORDS) : []),
    ];
    if (word === 'help') return undefined;
    const next = group.commands.find(it => it.name() === word || it.aliases().includes(word));
    if (next === undefined) {
      const near = closest(word, names);
      const fix = near === undefined ? `${path} --help says what each does` : `did you mean ${path} ${near}?`;
      return usageError(`${path} has no command "${word.slice(0, 60)}"`, names.join(', '), fix);
    }
    group = next;
    path = `${path} ${next.name()}`;
  }
  return undefined;
}
