/** A tool as the protocol shows it: its arguments are checked, its answer is JSON, its errors say what to do. */
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import { type Check, type ConfigProblem, object, problemsOf, text } from '#core/problem.ts';
import { explainError } from '#operator/explain-error.ts';
import { type FailureKind, OperatorError } from '#operator/operator-error.ts';
import { outside } from './outside.ts';

interface Argument {
  readonly check: Check;
  readonly about: string;
}

export interface Tool {
  readonly listed: ListedTool;
  call(given: unknown, signal: AbortSignal): Promise<CallToolResult>;
}

interface Written<A> {
  readonly name: string;
  readonly about: string;
  readonly args: { readonly [Name in keyof A]-?: Argument };
  readonly required?: readonly (keyof A & string)[];
  /** It changes something. Absent: it only looks. */
  readonly acts?: true;
  run(args: A, signal: AbortSignal): Promise<unknown>;
}

/** Arguments that the check alone cannot judge. */
export class ArgumentError extends OperatorError {
  readonly problems: readonly ConfigProblem[];

  constructor(...problems: readonly ConfigProblem[]) {
    super(problems.map(({ path, given }) => `${path}: ${given}`).join('\n'), 'usage');
    this.problems = problems;
  }
}

export const wrong = (path: string, given: string, allowed: string, fix: string): ArgumentError =>
  new ArgumentError({ path, given, allowed, fix });

export const anyText = text(/^[\s\S]{1,400}$/, 'a text of 1 to 400 characters', 'give a shorter one');
/** Of an application, an endpoint or a message: one segment of a path, and no way up in it. */
export const anyId = text(
  /^(?!\.{1,2}$)[^\s/]{1,200}$/,
  'an id of 1 to 200 characters without / and blanks',
  'pass on one of an answer',
);
export const argument = (check: Check, about: string): Argument => ({ check, about });

/** What a person or an agent does about a failure of a kind. These words are ours; what failed may be a stranger's. */
const FIXES: Readonly<Record<FailureKind, string>> = {
  usage: 'correct the arguments and call again',
  credentials: 'tell the person: they sign in again, or start this server with other credentials',
  not_found: 'check the id; it may be of another environment or older than its retention, or it was refused',
  failure: 'tell the person what failed; try again once at most',
  partial: 'tell the person what was done and what was not',
  interrupted: 'tell the person that it was stopped',
};

export function tool<A extends object>({ name, about, args, required = [], acts, run }: Written<A>): Tool {
  const all = Object.entries(args) as readonly [string, Argument][];
  const checks = Object.fromEntries(all.map(([key, it]) => [key, it.check]));
  const check = object<Record<string, unknown>>(checks, [...required]);
  const properties = Object.fromEntries(all.map(([key, it]) => [key, { ...it.check.schema, description: it.about }]));
  const inputSchema = { ...check.schema, type: 'object' as const, properties };
  const annotations = { readOnlyHint: acts !== true, destructiveHint: acts === true, openWorldHint: false };
  return {
    listed: { name, description: about, inputSchema, annotations },
    async call(given, signal) {
      try {
        const problems = problemsOf(given ?? {}, check);
        if (problems.length > 0) throw new ArgumentError(...problems);
        return answerOf(await run((given ?? {}) as A, signal));
      } catch (error) {
        return refusal(error);
      }
    },
  };
}

/** A failure as an answer: the model reads it and goes on. */
export function refusal(error: unknown): CallToolResult {
  const { kind, message } = explainError(error);
  const problems =
    error instanceof ArgumentError
      ? error.problems.map(({ path, given, allowed, fix }) => ({ path, given: outside(given), allowed, fix }))
      : undefined;
  const told = problems === undefined ? { message: outside(message, 1_000) } : { problems };
  return { ...answerOf({ error: kind, ...told, fix: FIXES[kind] }), isError: true };
}

const answerOf = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
});
