// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are shell scripts
/** `holdfast completion`: the words of every command and option, for the shell. */
import { Argument, type Command } from 'commander';
import type { RunCommand } from '../run.ts';

interface Word {
  /** The command's words, e.g. `events ls`. */
  readonly path: string;
  readonly words: readonly (readonly [string, string])[];
}

export function addCompletion(program: RunCommand): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .description('Print the completion script of a shell')
    .examples(
      ['source <(holdfast completion bash)', 'in ~/.bashrc'],
      ['holdfast completion zsh > "${fpath[1]}/_holdfast"', 'once, then start a new shell'],
      ['holdfast completion fish > ~/.config/fish/completions/holdfast.fish', 'once'],
    )
    .does(async (run, shell: string) => {
      const words = wordsOf(program);
      const script = { bash, zsh, fish }[shell as 'bash' | 'zsh' | 'fish'](words);
      run.out.result({ shell, script }, () => [script]);
    });
}

function wordsOf(command: Command, path = ''): readonly Word[] {
  const visible = command.commands.filter(it => it.name() !== 'help');
  const words = [
    ...visible.map(it => [it.name(), it.description()] as const),
    ...[...command.options, ...(path === '' ? [] : rootOf(command).options)].map(
      it => [it.long ?? it.short ?? '', it.description] as const,
    ),
    ['--help', 'Show help'] as const,
  ];
  return [{ path, words }, ...visible.flatMap(it => wordsOf(it, `${path} ${it.name()}`.trim()))];
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

function bash(words: readonly Word[]): string {
  const cases = words.map(
    ({ path, words: list }) => `    "${path}") words="${list.map(([word]) => word).join(' ')}" ;;`,
  );
  return [
    '_holdfast() {',
    '  local path="" word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    [[ "$word" == -* ]] && break',
    '    case " $(_holdfast_paths) " in *" ${path:+${path// /_}_}$word "*) path="${path:+$path }$word" ;; esac',
    '  done',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")',
    '}',
    `_holdfast_paths() { echo "${words.map(({ path }) => path.replaceAll(' ', '_')).join(' ')}"; }`,
    'complete -o default -F _holdfast holdfast',
  ].join('\n');
}

function zsh(words: readonly Word[]): string {
  const quote = (text: string): string => text.replaceAll("'", "'\\''").replaceAll(':', '\\:');
  const cases = words.map(
    ({ path, words: list }) =>
      `    '${path}') options=(${list.map(([word, about]) => `'${word}:${quote(about)}'`).join(' ')}) ;;`,
  );
  return [
    '#compdef holdfast',
    '_holdfast() {',
    '  local -a options paths',
    '  local place="" word',
    `  paths=(${words.map(({ path }) => `'${path}'`).join(' ')})`,
    '  for word in ${words[2,CURRENT-1]}; do',
    '    [[ $word == -* ]] && break',
    '    [[ -n ${paths[(r)${place:+$place }$word]} ]] && place="${place:+$place }$word"',
    '  done',
    '  case $place in',
    ...cases,
    '  esac',
    "  _describe 'holdfast' options || _files",
    '}',
    'compdef _holdfast holdfast',
  ].join('\n');
}

function fish(words: readonly Word[]): string {
  const quote = (text: string): string => text.replaceAll("'", "\\'");
  return words
    .flatMap(({ path, words: list }) => {
      const parts = path.split(' ').filter(part => part !== '');
      const here =
        parts.length === 0
          ? '__fish_use_subcommand'
          : parts.map(part => `__fish_seen_subcommand_from ${part}`).join('; and ');
      return list.map(([word, about]) => {
        const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
        return `complete -c holdfast -n '${here}' ${what} -d '${quote(about)}'`;
      });
    })
    .join('\n');
}
