/** Refusals of the API: `application/problem+json` (RFC 9457), with `error` for programs. */
import type { ConfigProblem } from '#core/problem.ts';
import type { Reply } from '#core/reply.ts';

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
  const body = { title: TITLES[status] ?? 'Error', status, error, detail, ...more };
  return { status, headers, body: JSON.stringify(body) };
}

/** Thrown where a call cannot go on; its reply is the answer. */
export class Refused extends Error {
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
