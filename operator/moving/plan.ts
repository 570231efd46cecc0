/** What an import will make, and what it cannot: judged by the checks of the API itself, before anything is asked of it. */
import { checkTarget, type TargetRules } from '#core/outbound/address/target-url.ts';
import { type EndpointBody, endpointFields } from '#core/outbound/api/endpoint-body.ts';
import { headerProblems } from '#core/outbound/sign/header-clash.ts';
import { object, problemsOf } from '#core/problem.ts';
import { utf8 } from '#core/scan/bytes.ts';
import { isFields } from './export-file.ts';

/** Something that is not carried over. */
export interface LeftOut {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  /** A whole endpoint: its customer gets nothing from here until somebody acts. */
  readonly endpoint: boolean;
}

export interface PlannedType {
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}
/** Its secrets are for the API alone: whoever shows a plan leaves them out. */
export interface PlannedEndpoint {
  readonly uid: string;
  readonly body: EndpointBody & { readonly url: string };
  readonly secret: string;
  /** The one before, which signs until then (ISO 8601). */
  readonly previous?: { readonly secret: string; readonly until: string };
  /** Why it is to be disabled. */
  readonly disabled?: string;
}
export interface PlannedApplication {
  readonly uid: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly endpoints: readonly PlannedEndpoint[];
}
export interface ImportPlan {
  readonly types: readonly PlannedType[];
  readonly applications: readonly PlannedApplication[];
  readonly left: readonly LeftOut[];
}

/** What the environment allows. */
export interface PlanRules {
  readonly headerPrefix: string;
  readonly target: TargetRules;
  readonly now: number;
}

/** `whsec_` of a secret whose letters are the key. */
export const lettersAsSecret = (secret: string): string => `whsec_${Buffer.from(utf8(secret)).toString('base64')}`;

/** Of the same letters as ours; a longer or stranger one is undefined. */
export const asUid = (given: string | undefined): string | undefined =>
  given !== undefined && /^[A-Za-z0-9_.-]{1,100}$/.test(given) ? given : undefined;

/** A schema without the names of its dialect and place: ours is 2020-12, and the API says what of it is not. */
export function ourSchema(theirs: unknown): unknown {
  if (!isFields(theirs)) return theirs;
  const { $schema: _, $id: __, ...schema } = theirs;
  return schema;
}

/** Says in a plan what stays behind, and collects it. */
export class Leavings {
  readonly all: LeftOut[] = [];
  /** A part of something that is carried over without it. */
  part(what: string, why: string, fix: string): void {
    this.all.push({ what, why, fix, endpoint: false });
  }
  /** A whole endpoint. */
  endpoint(what: string, why: string, fix: string): undefined {
    this.all.push({ what, why, fix, endpoint: true });
    return undefined;
  }
}

/** What an endpoint may do without; without another field it would get more than it asked for. */
const SPARE = ['description', 'metadata', 'rate', 'timeout_seconds', 'schedule', 'headers'];
const SPARE_HEADER = /^headers\./;

/** The endpoint as the API takes it, without what it would refuse; undefined where that would change what it gets. */
export function fitted(
  what: string,
  planned: PlannedEndpoint,
  rules: PlanRules,
  left: Leavings,
): PlannedEndpoint | undefined {
  const { url } = planned.body;
  const verdict = checkTarget(url, rules.target);
  if (verdict.kind === 'refused')
    return left.endpoint(what, `url: ${verdict.message}`, 'ask the customer for another URL');
  const bytes = [planned.secret, planned.previous?.secret ?? planned.secret].map(secret => secretBytes(secret));
  const { min, max } = planned.body.compatibility ? { min: 8, max: 128 } : { min: 24, max: 64 };
  if (bytes.some(length => length < min || length > max))
    return left.endpoint(
      what,
      `its secret has ${Math.min(...bytes)} bytes; ${min} to ${max} are taken`,
      'rotate it in the old system, tell the customer, and export again',
    );
  const body: Record<string, unknown> = { ...planned.body };
  const headers: Record<string, unknown> = { ...planned.body.headers };
  const problems = [
    ...problemsOf(body, object(endpointFields(rules.headerPrefix), ['url'])),
    ...headerProblems({ headers: planned.body.headers, compatibility: planned.body.compatibility ?? undefined }),
  ];
  for (const { path, given, allowed } of problems) {
    const [field = ''] = path.split(/[.[]/);
    if (!SPARE.includes(field))
      return left.endpoint(what, `${path}: allowed: ${allowed}`, 'change it there, and export again');
    if (SPARE_HEADER.test(path)) {
      const name = Object.keys(headers).find(each => path === `headers.${each.slice(0, 60)}`) ?? path.slice(8);
      delete headers[name];
      left.part(`${what}: header ${name}`, `${given} is not taken: ${allowed}`, 'its receiver must do without');
    } else {
      delete body[field];
      left.part(`${what}: ${field}`, `allowed: ${allowed}`, 'set it afterwards');
    }
  }
  if ('headers' in body) body['headers'] = headers;
  return { ...planned, body: body as unknown as PlannedEndpoint['body'] };
}

const secretBytes = (text: string): number => Buffer.from(text.slice('whsec_'.length), 'base64').length;
