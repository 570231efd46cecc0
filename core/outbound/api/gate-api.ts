/** What people do to an endpoint's gate. */
import { disable, enableEndpoint, type GateResult, type pause, tryEndpoint } from '#core/outbound/gate/gate.ts';
import { stateOf } from '#core/outbound/protocol/endpoint-state.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { oneOf } from '#core/problem.ts';
import { refuse } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { parseIso } from '#core/time.ts';
import {
  type ApiCall,
  type Body,
  bodyOf,
  countOrRefuse,
  endpointOf,
  endpointOfKind,
  pastOf,
  tellOperational,
} from './api-call.ts';
import { time, why } from './fields.ts';

export const GATE_FIELDS = { why };
export const ENABLE_FIELDS = { why, backlog: oneOf('drain', 'drop', 'since'), since: time };
const actOf = (call: ApiCall, body: Body<typeof GATE_FIELDS>) => {
  const said = body.why === undefined || body.why === '' ? `by ${call.caller.slice(0, 200)}` : body.why;
  const by = call.customer === undefined ? ('operator' as const) : ('customer' as const);
  return { by, why: said, now: call.ports.clock.now() };
};

/** Pause, resume or disable. */
export const turnOne =
  (act: typeof pause) =>
  async (call: ApiCall): Promise<Reply> => {
    const body = bodyOf(call, GATE_FIELDS);
    const endpoint = await endpointOf(call);
    const result = await act(call.ports, endpoint.id, actOf(call, body));
    if (act === disable && result.kind === 'done')
      await tellOperational(call, 'endpoint.disabled', endpoint, { reason: 'by a person' });
    return answer(call, endpoint, result);
  };

/** `backlog`: what becomes of what waited; with `since`, older messages are dropped. */
export async function enableOne(call: ApiCall): Promise<Reply> {
  const body = bodyOf(call, ENABLE_FIELDS);
  const { backlog = 'drain' } = body;
  const now = call.ports.clock.now();
  const since = body.since === undefined ? undefined : pastOf(now, parseIso(body.since) ?? now, 'since');
  if ((backlog === 'since') !== (since !== undefined))
    refuse(
      400,
      'invalid_request',
      'since: give a time together with {"backlog":"since"}; leave it out with any other backlog',
    );
  const endpoint = await endpointOf(call);
  // Its first request is a trial request.
  if (call.customer) await countOrRefuse(call, 'trial', endpoint.app);
  const what = since === undefined ? { kind: backlog as 'drain' | 'drop' } : { kind: 'since' as const, since };
  const result = await enableEndpoint(call.ports, endpoint.id, actOf(call, body), what);
  if (result.kind === 'done') await tellOperational(call, 'endpoint.enabled', endpoint);
  return answer(call, endpoint, result);
}

/** One request now, whatever the hold says. */
export async function tryOne(call: ApiCall): Promise<Reply> {
  bodyOf(call, {});
  const endpoint = await endpointOfKind(call, 'push');
  if (call.customer) await countOrRefuse(call, 'trial', endpoint.app);
  return answer(call, endpoint, await tryEndpoint(call.ports, endpoint.id, call.ports.clock.now()));
}

function answer({ ports, customer }: ApiCall, { id }: EndpointItem, result: GateResult): Reply {
  const state = stateOf(result.runtime, ports.clock.now());
  if (result.kind === 'done') return json(200, { id, ...state });
  const theirs = state.closed_by === 'operator' && customer !== undefined;
  const how = theirs ? 'by the sender of these webhooks: ask them' : 'resume undoes pause, and enable undoes disable';
  return refuse(409, 'gate_closed', `the endpoint is ${state.gate}${theirs ? ' ' : ': '}${how}`);
}
