/** The server, asked with the token of this run. The token is in the address once, then only in this tab. */
import { setServerNow } from '../../../ui/clock.ts';
import { ApiProblem, fetchOr, type Problem } from '../../../ui/problem.ts';
import { TOKEN_HEADER } from '../../wire.ts';

const KEY = 'holdfast-console-token';

let token = '';

/** Out of the address, or as this tab kept it. */
export function takeToken(): void {
  token = inAddress() ?? sessionStorage.getItem(KEY) ?? '';
}

/** Keeps it in this tab and takes it out of the address, so that it is in no screenshot, bookmark or pasted link. */
export function keepToken(): void {
  if (inAddress() === undefined) return;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, '', location.pathname + location.search);
}

function inAddress(): string | undefined {
  return /^#token=([\w-]+)$/.exec(location.hash)?.[1];
}

interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly value: unknown;
}

/** Answers that were asked for before a screen was there to ask. */
const early = new Map<string, Promise<Answer>>();

/** Asks while the page is still being made: the first screen takes the answer. */
export function askEarly(path: string): void {
  const answer = answerTo(path, {});
  // Said by the screen that takes it.
  answer.catch(() => undefined);
  early.set(path, answer);
}

/** When all are there that were asked for early, or some failed. */
export function earlyAnswers(): Promise<unknown> {
  return Promise.allSettled(early.values());
}

export async function ask<T>(path: string, init: { body?: object; signal?: AbortSignal } = {}): Promise<T> {
  const asked = init.body === undefined ? early.get(path) : undefined;
  early.delete(path);
  const { ok, status, value } = await (asked ?? answerTo(path, init));
  if (!ok) throw new ApiProblem(value as Problem, status);
  const { now } = value as { now?: unknown };
  if (typeof now === 'number') setServerNow(now);
  return value as T;
}

async function answerTo(path: string, init: { body?: object; signal?: AbortSignal }): Promise<Answer> {
  const response = await send(path, init);
  return { ok: response.ok, status: response.status, value: await response.json() };
}

/** Lines of JSON as they come. */
export async function* askLines<T>(path: string, signal: AbortSignal): AsyncGenerator<T> {
  const response = await send(path, { signal });
  if (!response.ok) throw new ApiProblem((await response.json()) as Problem, response.status);
  for await (const line of linesOf(response, '\n')) {
    const value = JSON.parse(line) as Awaited<T> & Partial<Problem>;
    if (typeof value.problem === 'string') throw new ApiProblem(value as Problem, 502);
    yield value;
  }
}

export function send(path: string, { body, signal }: { body?: object; signal?: AbortSignal }): Promise<Response> {
  const silent = {
    problem: 'The console does not answer',
    fix: 'Is it still running? Start it again: holdfast console',
  };
  const headers = { [TOKEN_HEADER]: token, 'content-type': 'application/json' };
  const request = { headers, ...(signal === undefined ? {} : { signal }) };
  const posted = body === undefined ? request : { ...request, method: 'POST', body: JSON.stringify(body) };
  return fetchOr(silent, path, posted);
}

/** The parts of a stream between separators; what has no separator behind it is not whole and is left out. */
export async function* linesOf(response: Response, separator: string): AsyncGenerator<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const step = await reader?.read();
    if (step === undefined || step.done) return;
    const parts = (text + step.value).split(separator);
    text = parts.pop() ?? '';
    yield* parts.filter(part => part !== '');
  }
}
