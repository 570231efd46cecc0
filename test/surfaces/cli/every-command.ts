import type { Command } from 'commander';
import { buildProgram } from '#cli/main.ts';
import { CommandSet, type Services } from '#cli/run.ts';

export interface KnownCommand {
  readonly path: readonly string[];
  readonly command: Command;
}

/** Every command that can be run, with its words, e.g. `events ls`; with `args`, those that are made for such a command line. */
export function everyCommand(args: readonly string[] = []): readonly KnownCommand[] {
  const silent = { write: () => {}, isTTY: false, columns: 100 };
  const io = { env: {}, stdout: silent, stderr: silent } as unknown as Services['io'];
  return leavesOf(buildProgram(new CommandSet({} as Services), { io }, args)).filter(({ path }) => path.length > 0);
}

function leavesOf(command: Command, path: readonly string[] = []): KnownCommand[] {
  const children = command.commands.filter(it => it.name() !== 'help');
  const own = children.length === 0 || command.registeredArguments.length > 0 ? [{ path, command }] : [];
  return [...own, ...children.flatMap(child => leavesOf(child, [...path, child.name()]))];
}
