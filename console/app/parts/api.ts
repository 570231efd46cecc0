/** The server, asked with the token of this run. The token is in the address once, then only in this tab. */
import { setServerNow } from '../../../ui/clock.ts';
import { ApiProblem, type Problem } from '../../../ui/problem.ts';
import { TOKEN_HEADER } from '../../wire.ts';

const KEY = 'holdfast-console-token';

/** Takes the token out of the address, so that it is in no screenshot, bookmark or pasted link. */
export function takeToken(): void {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  sessionStorage.setItem(KEY, token);
  history.replaceState(null, '', location.pathname + location.search);
}

/** Answers that were asked for before a screen was there to ask. */
const early = new Map<string, Promise<Response>>();

/** Asks while the page is still being made: the first screen takes the answer. */
export function askEarly(path: string): void {
  const answer = send(path, {});
  // Said by the screen that takes it.
  answer.catch(() => undefined);
  early.set(path, answer);
}

export async function ask<T>(path: string, init: { body?: object; signal?: AbortSignal } = {}): Promise<T> {
  const asked = init.body === undefined ? early.get(path) : undefined;
  early.delete(path);
  const response = await (asked ?? send(path, init));
  const value = (await response.json()) as T & { now?: unknown };
  if (!response.ok) throw new ApiProblem(value as unknown as Problem, response.status);
  if (typeof value.now === 'number') setServerNow(value.now);
  return value;
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

export async function send(path: string, { body, signal }: { body?: object; signal?: AbortSignal }): Promise<Response> {
  const headers = { [TOKEN_HEADER]: sessionStorage.getItem(KEY) ?? '', 'content-type': 'application/json' };
  const request = { headers, ...(signal === undefined ? {} : { signal }) };
  try {
    return await fetch(path, body === undefined ? request : { ...request, method: 'POST', body: JSON.stringify(body) });
  } catch (error) {
    if (signal?.aborted) throw error;
    const fix = 'Is it still running? Start it again: holdfast console';
    throw new ApiProblem({ problem: 'The console does not answer', fix }, 0);
  }
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
