/** Portal tokens: the producer makes one for a customer who is signed in to its own product, and takes one or all of them back. */

import { given } from '#core/given.ts';
import { changeApplication, revokeToken } from '#core/outbound/registry/applications.ts';
import { boolean, number, oneOf, text } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { DAY_SECONDS, HOUR_SECONDS, toIso } from '#core/time.ts';
import { type ApiCall, activeOf, type Body, bodyOf, logAct } from './api-call.ts';
import { listUpTo } from './fields.ts';
import { CAPABILITIES, isTokenId, MOST_REVOKED, mintToken, READ_ONLY, withRevoked } from './portal-token.ts';

export const TOKEN_FIELDS = {
  capabilities: listUpTo(CAPABILITIES.length, oneOf(...CAPABILITIES)),
  read_only: boolean,
  expires_in_seconds: number(60, DAY_SECONDS, 'seconds'),
  subject: text(
    /^[!-~]{1,100}$/,
    '1 to 100 printable ASCII characters without spaces',
    'e.g. your own id of the person',
  ),
};

/** The token is in this answer and nowhere else: it is not stored. */
export async function createToken(call: ApiCall): Promise<Reply> {
  const { ports, rules } = call;
  const body = bodyOf(call, TOKEN_FIELDS);
  const portalUrl =
    rules.portalUrl ??
    refuse(
      409,
      'no_portal',
      'this environment has no portal: add outbound.portal to it in gateway.config.ts and deploy',
    );
  const application = await activeOf(call);
  const caps = capabilitiesOf(body);
  const iat = ports.clock.now();
  const exp = iat + (body.expires_in_seconds ?? HOUR_SECONDS) * 1_000;
  const id = `tok_${ports.ids.uuid().replaceAll('-', '')}`;
  const token = mintToken(ports, {
    ...{ v: 1, jti: id, env: rules.environment, app: application.id, caps, iat, exp },
    rev: application.tokensRevokedAt ?? 0,
    ...given({ sub: body.subject }),
  });
  logAct(call, 'a portal token was made', { application: application.id, token: id });
  // Behind #: a browser sends that part to nobody.
  const url = `${portalUrl}#token=${token}`;
  return json(201, { id, token, url, application: application.id, capabilities: caps, expires_at: toIso(exp) });
}

/** One token ends with its next call; a second time changes nothing. Whether it was ever made, nobody knows. */
export async function revokeOneToken(call: ApiCall): Promise<Reply> {
  const { ports } = call;
  const token = call.path['token'] ?? '';
  if (!isTokenId(token))
    refuse(
      400,
      'invalid_request',
      'give the id of the token (tok_…, from the answer that made it), never the token itself',
    );
  const { id } = await activeOf(call);
  const now = ports.clock.now();
  const revoked = await revokeToken(ports.store, id, stored => withRevoked(stored, token, now));
  if (revoked === 'gone') refuse(410, 'erasing', `${id} is being erased`);
  const all = `DELETE /v1/apps/${id}/portal-tokens`;
  if (revoked === 'too_many')
    refuse(
      409,
      'too_many_revoked',
      `${MOST_REVOKED} tokens of ${id} were revoked within a day, the most that may be: revoke all of them with ${all}`,
    );
  if (revoked === 'changed') refuseQuicker();
  logAct(call, 'a portal token was revoked', { application: id, token });
  return { status: 204, headers: {}, body: '' };
}

/** Every token of the application that was made until now ends with its next call. */
export async function revokeTokens(call: ApiCall): Promise<Reply> {
  const { ports } = call;
  const { id } = await activeOf(call);
  const now = ports.clock.now();
  // Later than any before: tokens carry the stamp that they were made under.
  const revoked = await changeApplication(ports.store, id, ['tokensRevokedAt'], ({ tokensRevokedAt = 0 }) => ({
    tokensRevokedAt: Math.max(now, tokensRevokedAt + 1),
  }));
  if (revoked === 'gone') refuse(410, 'erasing', `${id} is being erased`);
  if (revoked === 'changed') refuseQuicker();
  logAct(call, 'portal tokens were revoked', { application: id });
  return { status: 204, headers: {}, body: '' };
}

function refuseQuicker(): never {
  return refuse(409, 'version_changed', 'other tokens are being revoked at the same time: send the request again');
}

function capabilitiesOf({ capabilities = CAPABILITIES, read_only: readOnly = false }: Body<typeof TOKEN_FIELDS>) {
  const wanted = CAPABILITIES.filter(each => each === 'read' || capabilities.includes(each));
  return readOnly ? wanted.filter(each => READ_ONLY.includes(each)) : wanted;
}
