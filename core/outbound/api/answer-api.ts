/** The routes of the producer's API and what answers them. */

import { listAttempts } from '#core/outbound/api/deliveries/attempts-api.ts';
import { listDeliveries, listOfApplication, listOfMessage } from '#core/outbound/api/deliveries/deliveries-api.ts';
import {
  eraseBody,
  listMessages,
  matchMessage,
  showBody,
  showOneMessage,
} from '#core/outbound/api/deliveries/messages-api.ts';
import { createJob, listJobs, replayOne, showOneJob, steerJob } from '#core/outbound/api/deliveries/replay-api.ts';
import { disable, pause, resume } from '#core/outbound/gate/gate.ts';
import { LONGEST_ID } from '#core/outbound/protocol/ids.ts';
import type { Reply } from '#core/reply.ts';
import { answering } from './answering.ts';
import type { ApiCall } from './api-call.ts';
import type { DeliveryRoute } from './api-routes.ts';
import { changeApp, createApp, listApps, putApp, showApp } from './applications-api.ts';
import { activateSecret, revealSecret, rotateSecret } from './endpoint-secret.ts';
import { changeOne, createOne, deleteOne, listAll, putOne, showOne } from './endpoints-api.ts';
import { eraseApp, showOneErasure } from './erasure-api.ts';
import { deleteType, listTypes, showOneType } from './event-types-api.ts';
import { enableOne, tryOne, turnOne } from './gate-api.ts';
import { showHealth, showStats, showSummary } from './health-api.ts';
import { createToken, revokeOneToken, revokeTokens } from './portal-tokens-api.ts';
import { resealSecrets } from './reseal-api.ts';
import { listTests, testOne } from './test-delivery.ts';

const ANSWERS: Readonly<Record<DeliveryRoute, (call: ApiCall) => Promise<Reply>>> = {
  'POST /v1/apps': call => createApp(call),
  'GET /v1/apps': listApps,
  'GET /v1/apps/{app}': showApp,
  'PUT /v1/apps/{app}': putApp,
  'PATCH /v1/apps/{app}': changeApp,
  'DELETE /v1/apps/{app}': eraseApp,
  'GET /v1/apps/{app}/erasure': showOneErasure,
  'POST /v1/apps/{app}/secrets/reseal': resealSecrets,
  'POST /v1/apps/{app}/endpoints': call => createOne(call),
  'GET /v1/apps/{app}/endpoints': listAll,
  'GET /v1/apps/{app}/endpoints/{ep}': showOne,
  'PUT /v1/apps/{app}/endpoints/{ep}': putOne,
  'PATCH /v1/apps/{app}/endpoints/{ep}': changeOne,
  'DELETE /v1/apps/{app}/endpoints/{ep}': deleteOne,
  'GET /v1/apps/{app}/endpoints/{ep}/secret': revealSecret,
  'POST /v1/apps/{app}/endpoints/{ep}/secret/rotate': rotateSecret,
  'POST /v1/apps/{app}/endpoints/{ep}/secret/activate': activateSecret,
  'POST /v1/apps/{app}/endpoints/{ep}/pause': turnOne(pause),
  'POST /v1/apps/{app}/endpoints/{ep}/resume': turnOne(resume),
  'POST /v1/apps/{app}/endpoints/{ep}/disable': turnOne(disable),
  'POST /v1/apps/{app}/endpoints/{ep}/enable': enableOne,
  'POST /v1/apps/{app}/endpoints/{ep}/trial': tryOne,
  'POST /v1/apps/{app}/endpoints/{ep}/test': testOne,
  'GET /v1/apps/{app}/endpoints/{ep}/tests': listTests,
  'GET /v1/apps/{app}/endpoints/{ep}/health': showHealth,
  'GET /v1/apps/{app}/endpoints/{ep}/deliveries': listDeliveries,
  'GET /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/attempts': listAttempts,
  'POST /v1/apps/{app}/endpoints/{ep}/deliveries/{msg}/replay': replayOne,
  'GET /v1/apps/{app}/endpoints/{ep}/messages': async call =>
    (await import('./deliveries/pull-api.ts')).readPulled(call),
  'POST /v1/apps/{app}/endpoints/{ep}/ack': async call => (await import('./deliveries/pull-api.ts')).acknowledge(call),
  'GET /v1/apps/{app}/deliveries': listOfApplication,
  'POST /v1/apps/{app}/messages/match': matchMessage,
  'GET /v1/apps/{app}/messages': listMessages,
  'GET /v1/apps/{app}/messages/{msg}': showOneMessage,
  'GET /v1/apps/{app}/messages/{msg}/body': showBody,
  'DELETE /v1/apps/{app}/messages/{msg}/body': eraseBody,
  'GET /v1/apps/{app}/messages/{msg}/deliveries': listOfMessage,
  'GET /v1/apps/{app}/feed': async call => (await import('./deliveries/feed-api.ts')).readFeed(call),
  'POST /v1/replay-jobs': createJob,
  'GET /v1/replay-jobs': listJobs,
  'GET /v1/replay-jobs/{job}': showOneJob,
  'POST /v1/replay-jobs/{job}/pause': steerJob('paused'),
  'POST /v1/replay-jobs/{job}/resume': steerJob('running'),
  'POST /v1/replay-jobs/{job}/cancel': steerJob('canceled'),
  'GET /v1/event-types': listTypes,
  'GET /v1/event-types/{name}': showOneType,
  'PUT /v1/event-types/{name}': async call => (await import('./put-event-type.ts')).putType(call),
  'DELETE /v1/event-types/{name}': deleteType,
  'GET /v1/stats': showStats,
  'GET /v1/summary': showSummary,
  'POST /v1/apps/{app}/portal-tokens': createToken,
  'DELETE /v1/apps/{app}/portal-tokens': revokeTokens,
  'DELETE /v1/apps/{app}/portal-tokens/{token}': revokeOneToken,
  'GET /v1/apps/{app}/contacts': async call => (await import('./contacts-api.ts')).listContacts(call),
  'POST /v1/apps/{app}/contacts': async call => (await import('./contacts-api.ts')).createContact(call),
  'DELETE /v1/apps/{app}/contacts/{contact}': async call => (await import('./contacts-api.ts')).deleteContact(call),
};

export async function answerApi(call: ApiCall): Promise<Reply> {
  return answering(call.route, call.ports, () => answerRoute(call));
}

/** Throws `Refused` for a refusal, DependencyError for an outage. */
export function answerRoute(call: ApiCall): Promise<Reply> {
  // No table takes a longer one as a key. Nothing has an id so long, so its begin is as unknown as it is.
  const path = Object.fromEntries(Object.entries(call.path).map(([name, id]) => [name, id?.slice(0, LONGEST_ID)]));
  return ANSWERS[call.route]({ ...call, path });
}
