/** One call of a customer: who it is, what the token allows, the producer's own use case, and what is shown of its answer. */
import { answerRoute } from '#core/outbound/api/answer-api.ts';
import { answering } from '#core/outbound/api/answering.ts';
import type { ApiCall } from '#core/outbound/api/api-call.ts';
import { type Customer, customerName } from '#core/outbound/api/customer.ts';
import { isRevoked, type PortalClaims, readToken } from '#core/outbound/api/portal-token.ts';
import { findApplication } from '#core/outbound/registry/applications.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { toIso } from '#core/time.ts';
import { customerView } from './customer-view.ts';
import { PORTAL_CAPABILITIES, type PortalRoute, SESSION_ROUTE } from './portal-routes.ts';

export interface PortalCall extends Omit<ApiCall, 'route' | 'caller' | 'customer'> {
  readonly route: PortalRoute;
  /** The header as it came. */
  readonly authorization: string | undefined;
  /** False: this application asked too often within the second. */
  readonly mayCall: (app: string, now: number) => boolean;
}

const TOLD = {
  token_missing: 'give the token: authorization: Bearer hfp_…',
  token_invalid: 'this is not a token of this environment: get a new one where you came from',
  token_expired: 'the token has expired: get a new one where you came from',
  token_revoked: 'the token was revoked: get a new one where you came from',
} as const;

export function answerPortal(call: PortalCall): Promise<Reply> {
  return answering(`portal ${call.route}`, call.ports, async () => {
    const { claims, customer } = await signedIn(call);
    const { route, ports } = call;
    const wanted = PORTAL_CAPABILITIES[route];
    if (!customer.capabilities.includes(wanted)) {
      const allowed = customer.capabilities.join(', ');
      refuse(
        403,
        'not_allowed',
        `the token allows ${allowed}; this call needs ${wanted}: ask whoever gave you the token`,
      );
    }
    if (route === SESSION_ROUTE)
      return json(200, { ...sessionOf(claims, customer, ports.clock.now()), contacts: call.rules.contacts ?? [] });
    const reply = await answerRoute({ ...call, route, customer, caller: customerName(claims.sub) });
    if (reply.status >= 300 || reply.body === '') return reply;
    return { ...reply, body: JSON.stringify(customerView(route, customer, JSON.parse(reply.body))) };
  });
}

/** Throws `Refused` (401, 429). The application is read in any case by the use cases: a revocation costs no further read. */
async function signedIn({ ports, rules, authorization, mayCall }: PortalCall) {
  const now = ports.clock.now();
  const read = readToken(ports, authorization, { environment: rules.environment, now });
  if (read.kind === 'refused') return refuseToken(read.cause);
  const { claims } = read;
  if (!mayCall(claims.app, now))
    refuse(429, 'quota', 'at most 20 calls a second: send the request again in a second', { retry_after: 1 });
  const application = await findApplication(ports.store, claims.app);
  const isLive = application?.state === 'active' && (application.tokensRevokedAt ?? 0) === claims.rev;
  if (application === undefined || !isLive || isRevoked(application.tokensRevoked, claims, now))
    return refuseToken('token_revoked');
  const customer: Customer = { application, capabilities: claims.caps };
  return { claims, customer };
}

function refuseToken(cause: keyof typeof TOLD): never {
  return refuse(401, cause, TOLD[cause]);
}

function sessionOf({ sub, exp }: PortalClaims, { application, capabilities }: Customer, now: number) {
  const { id, name } = application;
  return { application: { id, name }, capabilities, subject: sub ?? null, expires_at: toIso(exp), now: toIso(now) };
}
