import type { ProviderSpec } from 'holdfast';
import { standardScheme } from './schemes/hmac-schemes.ts';

export const gitlabSigning: ProviderSpec = {
  id: 'gitlab-signing',
  title: 'GitLab (signing token)',
  docs: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
  checkedOn: '2026-11-21',
  unconfirmed: ['number of retries'],
  verify: [standardScheme('webhook', ['v1,whsec_', 'whsec_'])],
  identity: {
    key: [['header:webhook-id']],
    type: ['header:x-gitlab-event', 'json:object_attributes.action'],
    typeJoin: '.',
    ordering: 'json:object_attributes.id',
  },
  signatureHeaders: ['webhook-signature', 'webhook-timestamp', 'x-gitlab-token'],
  keepHeaders: ['x-gitlab-event-uuid', 'x-gitlab-webhook-uuid', 'x-gitlab-instance'],
  retries: 'Few; a webhook that keeps failing is disabled, first for a while, then for good. webhook-id stays.',
  setup:
    'GitLab 19.0 or later: project or group, Settings, Webhooks: this URL and a signing token (whsec_ followed by base64). Leave the secret token empty.',
};
