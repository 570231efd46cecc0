/** Refusals of both APIs: `application/problem+json` (RFC 9457), with `error` for programs. */
import { type Asker, ask } from './ask.ts';
import type { ConfigProblem } from './problem.ts';
import type { Reply } from './reply.ts';

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** `detail` is for people: what was given, what is allowed, what to do. `more`: further members; `retry_after`: seconds. */
export function problem(
  status: number,
  error: string,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
): Reply {
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' };
  if (status === 503) headers['retry-after'] = '2';
  if (status === 429) headers['retry-after'] = String(more['retry_after'] ?? 60);
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  const body = { type: 'about:blank', title: TITLES[status] ?? 'Error', status, error, detail, ...more };
  return { status, headers, body: JSON.stringify(body) };
}

/** Thrown where a call cannot go on; its reply is the answer. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(reply.body);
    this.reply = reply;
  }
}

export function refuse(status: number, error: string, detail: string, more?: Readonly<Record<string, unknown>>): never {
  throw new Refused(problem(status, error, detail, more));
}

/** All problems at once. Throws `Refused` (400) if there are any. */
export function refuseProblems(problems: readonly ConfigProblem[]): void {
  if (problems.length === 0) return;
  const told = problems.map(
    ({ path, given, allowed, fix }) => `${path || 'the body'}: given ${given}; allowed: ${allowed}; fix: ${fix}`,
  );
  refuse(400, 'invalid_request', told.join(' · '), { details: problems });
}

/** Does what a call asks for. A refusal is an answer; a service that fails is a 503, and `again` says what to do then. */
export async function answerOrRefuse(asker: Asker, again: string, work: () => Promise<Reply>): Promise<Reply> {
  try {
    const asked = await ask(asker, work);
    if (asked.ok) return asked.value;
    return problem(503, 'not_recorded', `${asked.error.dependency} did not answer in time: ${again}`);
  } catch (error) {
    if (error instanceof Refused) return error.reply;
    throw error;
  }
}

/** For a route that none of our functions knows. `where`: the page that has them. */
export const unknownRoute = (key: string, where = 'docs/api/delivery.md'): Reply =>
  problem(404, 'unknown_route', `no route ${key.slice(0, 200)}; the routes are in ${where}`);
