/**
 * Whoever sends a request chooses texts that regular expressions run over, most of them before anything is verified. One
 * that backtracks makes every such request cost the square of its length.
 *
 * 1. Every regular expression of the product is found: literals, patterns given as text, patterns of provider specs.
 * 2. None takes longer than a linear one could over texts made to be hostile to it.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';
import { PROVIDERS } from '#providers/index.ts';
import { hostileTexts } from './kit/samples/hostile-texts.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDERS = ['core', 'adapters', 'lambdas', 'providers', 'sdk', 'lib', 'operator', 'cli', 'mcp', 'local', 'bin'];
/** Four-fold work each time a text is twice as long shows itself here; linear work takes microseconds. */
const LENGTHS = [22, 200, 2_000, 12_000];
const TOO_LONG_MS = 12;

interface Expression {
  readonly where: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Of the syntax tree, or a list of them. */
interface Node {
  readonly type?: string;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly { readonly value?: unknown }[];
}

/** Literals, and constant patterns of `new RegExp`. */
function expressionsOf(file: string): Expression[] {
  const found: Expression[] = [];
  const visit = (node: Node): void => {
    const { type, regex, callee, arguments: given } = node;
    if (regex) found.push({ where: file, ...regex });
    if (type === 'NewExpression' && callee?.name === 'RegExp' && typeof given?.[0]?.value === 'string')
      found.push({ where: file, pattern: given[0].value, flags: '' });
    for (const name in node) {
      const inner = node[name as keyof Node];
      if (typeof inner === 'object' && inner !== null) visit(inner as Node);
    }
  };
  visit(parseAst(readFileSync(join(ROOT, file), 'utf8'), { lang: 'ts' }).body as Node);
  return found;
}

/** Patterns in specs: they are run as a whole over text of the caller. */
function patternsOfSpecs(): Expression[] {
  return Object.values(PROVIDERS).flatMap(spec => {
    const patterns = [
      ...spec.verify.flatMap(({ sig, key, guard }) => [
        sig.headerPattern,
        key?.hosts,
        key?.paths,
        guard?.rejectMessage,
      ]),
      ...(spec.handshakes ?? []).flatMap(({ guard, confirm }) => [guard?.accept, confirm?.hosts]),
    ];
    return patterns.flatMap(pattern =>
      pattern === undefined ? [] : [{ where: `provider ${spec.id}`, pattern: `^(?:${pattern})$`, flags: '' }],
    );
  });
}

function milliseconds(run: () => void): number {
  const from = performance.now();
  run();
  return performance.now() - from;
}

/** How a text slows the expression down, or undefined when none does. */
function slowness({ pattern, flags }: Expression): string | undefined {
  for (const length of LENGTHS) {
    for (const text of hostileTexts(pattern, flags, length)) {
      // A replacement runs from every place of the text, as a global search does.
      const run = () => void text.replace(new RegExp(pattern, flags), '');
      if (milliseconds(run) < TOO_LONG_MS) continue;
      const again = Math.min(milliseconds(run), milliseconds(run));
      if (again >= TOO_LONG_MS) return `${Math.round(again)} ms for ${length} of ${JSON.stringify(text.slice(0, 12))}`;
    }
  }
  return undefined;
}

const files = FOLDERS.flatMap(folder => globSync(`${folder}/**/*.ts`, { cwd: ROOT }));
const expressions = [...files.flatMap(expressionsOf), ...patternsOfSpecs()];

describe('regular expressions', () => {
  it('are all found, and the scan sees what it is for', () => {
    expect(expressions.length).toBeGreaterThan(300);
    // The one that let a forged header of 9 kB cost 100 ms.
    expect(slowness({ where: '', pattern: 'T.*(?:Z|[+-]\\d{2}:?\\d{2})$', flags: '' })).toBeDefined();
    expect(slowness({ where: '', pattern: '^(a+)+$', flags: '' })).toBeDefined();
    expect(slowness({ where: '', pattern: '^x\\d+\\d+$', flags: '' })).toBeDefined();
    expect(slowness({ where: '', pattern: '\\s+$', flags: 'g' })).toBeDefined();
    expect(slowness({ where: '', pattern: '^[a-z]+=\\d{1,9}$', flags: '' })).toBeUndefined();
  });

  it('take no longer than the text is long', () => {
    const unique = Map.groupBy(expressions, it => `/${it.pattern}/${it.flags}`);
    const slow = [...unique].flatMap(([text, [expression, ...more]]) => {
      const why = expression && slowness(expression);
      if (why === undefined) return [];
      return [`${[expression, ...more].map(it => it?.where).join(', ')}: ${text} takes ${why}`];
    });
    expect(slow).toEqual([]);
  }, 60_000);
});
