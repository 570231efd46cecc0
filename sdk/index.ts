/**
 * `holdfast`: all that gateway.config.ts, handlers/ and provider files of your own import. What a test of your handlers
 * needs is `holdfast/testing`. Nothing runs when this is imported: a bundle holds only what its handlers use.
 */

// The providers' APIs, and JSON Schema.
export { jsonSchema } from '#adapters/json-schema/json-schema.ts';
export { githubFetcher } from '#adapters/provider-apis/github-api.ts';
export type { ProviderApiOptions } from '#adapters/provider-apis/provider-api.ts';
export { type ShopifyApiOptions, type ShopifyObject, shopifyFetcher } from '#adapters/provider-apis/shopify-api.ts';
export { stripeFetcher } from '#adapters/provider-apis/stripe-api.ts';
export { type Credential, secretCredential } from '#adapters/secrets/secret-credential.ts';
// What a handler writes with `context.transact()`, and the conditions of a write.
export { all, any, type Condition, eq, exists, ge, gt, isIn, le, lt, missing, ne } from '#core/condition.ts';
// The configuration: gateway.config.ts.
export {
  type AlarmTarget,
  defineGateway,
  type EnvironmentConfig,
  type GatewayConfig,
  type QueueSettings,
  type RoutesConfig,
  type Severity,
  type SourceConfig,
} from '#core/config/gateway-config.ts';
export type { ReconcileConfig } from '#core/config/reconcile-config.ts';
// Handlers, and what they may answer.
export {
  busy,
  defer,
  defineHandlers,
  done,
  type Handler,
  type HandlerContext,
  type HandlerRegistration,
  type HandlerRegistry,
  type Outcome,
  type PayloadSchema,
  PermanentError,
  reject,
  retryAfter,
  stale,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
// Order: events may come late, twice, or before the one they follow.
export type { Entity, EntityState } from '#core/handler/ordering/entity.ts';
export { exactNumber } from '#core/handler/ordering/exact-number.ts';
export { type Fetched, type Fetcher, type FetchLatest, fetchLatest } from '#core/handler/ordering/fetch-latest.ts';
export { type LatestWins, latestWins } from '#core/handler/ordering/latest-wins.ts';
export { type Move, type StateMachine, type StateTable, stateMachine } from '#core/handler/ordering/state-machine.ts';
export {
  eventTime,
  longSequenceVersion,
  sequenceVersion,
  timeVersion,
  type Version,
} from '#core/handler/ordering/version.ts';
export type { EffectWrite, ItemData, ItemKey } from '#core/ports.ts';
// A provider of your own, as data.
export type { ProviderSpec } from '#core/provider/provider-spec.ts';
export type { RetryProfile } from '#core/retry/backoff.ts';
// What handlers need from AWS: handlers/resources.ts.
export type { HandlerResources, HandlerResourcesContext, TableNeed } from '#lib/handler-resources.ts';
export { forward } from './forward.ts';
export { handlerEnv } from './handler-env.ts';
export { type JudgedAnswer, judgeAnswer } from './judge-answer.ts';
