/** `holdfast/testing`: everything a test of your own handlers needs. docs/receive/handlers.md shows how. */

export { createTestEvent, type TestEventInput } from './create-test-event.ts';
export { type ProviderEvents, type ProviderRequest, providerProblems } from './provider-problems.ts';
export { type RunOptions, runHandler, type TestAttempt, type TestRun } from './run-handler.ts';
export { type SignedWebhook, type SignWebhookInput, signWebhook } from './sign-webhook.ts';
export type { TestTable } from './test-tables.ts';
export type { WebhookBody } from './webhook-body.ts';
