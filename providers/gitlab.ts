import type { ProviderSpec } from 'holdfast';

export const gitlab: ProviderSpec = {
  id: 'gitlab',
  title: 'GitLab (secret token)',
  docs: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['number of retries'],
  verify: [{ id: 'gitlab-token', alg: 'token', sig: { from: 'header:x-gitlab-token' } }],
  identity: {
    // Before 17.4 there is only a UUID that all events share which one request or job of GitLab sends to a webhook.
    key: [
      ['header:idempotency-key'],
      ['header:x-gitlab-event-uuid', 'header:x-gitlab-webhook-uuid?', 'hash:body'],
      ['hash:body'],
    ],
    type: ['header:x-gitlab-event', 'json:object_attributes.action'],
    typeJoin: '.',
    ordering: 'json:object_attributes.id',
  },
  keepHeaders: ['x-gitlab-instance'],
  retries:
    'Few; a webhook that keeps failing is disabled, first for a while, then for good. A person can resend a delivery from the log: Idempotency-Key stays.',
  setup:
    'Project or group, Settings, Webhooks: this URL and a secret token you choose. Where your GitLab has signing tokens, use gitlab-signing.',
};
