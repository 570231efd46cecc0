/** How the local receiver may behave: the first segment of the path says which one, the query how much of it. */
import type { ServerResponse } from 'node:http';

export interface Told {
  readonly query: URLSearchParams;
  /** Requests with this `webhook-id` that came here before. */
  readonly before: number;
  /** Undefined: the receiver knows no secret to check with. */
  readonly verified: boolean | undefined;
  readonly now: number;
}

/** Answers, or does not; the result says what it did, for people. */
type Behaviour = (response: ServerResponse, told: Told) => string;

const DRIP_MS = 1_000;
const CHUNK = Buffer.alloc(64 * 1_024, 'x');

/** Answers with a status; the body is the status once more. */
function answer(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): string {
  response.writeHead(status, headers).end(`${status}\n`);
  return String(status);
}

/** A whole number of the query. */
const numberOf = ({ query }: Told, name: string, otherwise: number): number => {
  const text = query.get(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : otherwise;
};

const BEHAVIOURS: Readonly<Record<string, { readonly about: string; readonly act: Behaviour }>> = {
  ok: { about: 'answers 200', act: response => answer(response, 200) },
  fail: {
    about: '503 for the first ?times=2 requests of each message, then 200',
    act: (response, told) => answer(response, told.before < numberOf(told, 'times', 2) ? 503 : 200),
  },
  verify: {
    about: '204 for a good signature, 401 for any other',
    act: (response, { verified }) => answer(response, verified === true ? 204 : 401),
  },
  slow: {
    about: 'answers 200 after ?ms=3000',
    act: (response, told) => {
      const ms = numberOf(told, 'ms', 3_000);
      setTimeout(() => answer(response, 200), ms).unref();
      return `200 after ${ms} ms`;
    },
  },
  hang: { about: 'never answers', act: () => 'no answer' },
  drip: {
    about: 'a byte of the body each second, without end',
    act: response => {
      response.writeHead(200).write('.');
      const timer = setInterval(() => response.write('.'), DRIP_MS);
      response.once('close', () => clearInterval(timer));
      return '200 that never ends';
    },
  },
  big: {
    about: 'a body without end',
    act: response => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(CHUNK));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
      return '200 with a body without end';
    },
  },
  reset: {
    about: 'resets the connection',
    act: response => {
      response.socket?.resetAndDestroy();
      return 'connection reset';
    },
  },
  redirect: {
    about: '302 to /ok',
    act: response => answer(response, 302, { location: '/ok' }),
  },
  flap: {
    about: 'answers 200 for ?every=10 seconds, then 503 for as long',
    act: (response, told) => {
      const every = Math.max(1, numberOf(told, 'every', 10)) * 1_000;
      return answer(response, Math.floor(told.now / every) % 2 === 0 ? 200 : 503);
    },
  },
  disable: {
    about: 'answers 200 and asks to be disabled (webhook-delivery: disable)',
    act: response => answer(response, 200, { 'webhook-delivery': 'disable' }),
  },
};

/** Every behaviour with what it does, and the statuses. */
export const BEHAVIOUR_NAMES: readonly (readonly [path: string, about: string])[] = [
  ...Object.entries(BEHAVIOURS).map(([name, { about }]) => [`/${name}`, about] as const),
  ['/429?after=30', 'any status from 200 to 599; ?after=30 adds Retry-After'],
];

/** Behaves as the name says; an unknown one is a 404 that lists them. */
export function behave(name: string, response: ServerResponse, told: Told): string {
  const known = Object.hasOwn(BEHAVIOURS, name) ? BEHAVIOURS[name] : undefined;
  if (known) return known.act(response, told);
  if (/^[2-5]\d\d$/.test(name)) {
    const after = told.query.get('after');
    return answer(response, Number(name), after === null ? {} : { 'retry-after': after });
  }
  const list = BEHAVIOUR_NAMES.map(([path, about]) => `${path}  ${about}`).join('\n');
  response.writeHead(404).end(`/${name} is not a path of this receiver. Its paths:\n${list}\n`);
  return '404';
}
