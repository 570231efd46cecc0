import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const gitea: ProviderSpec = {
  id: 'gitea',
  title: 'Gitea',
  docs: 'https://github.com/go-gitea/gitea/blob/main/services/webhook/deliver.go',
  checkedOn: '2026-11-27',
  source: 'go-gitea/gitea, services/webhook/deliver.go and models/webhook/hooktask.go.',
  unconfirmed: ['same UUID when a person replays a delivery', 'deadline (a server setting)', 'the field that orders'],
  verify: [bodyHmac('x-gitea-signature', 'hex')],
  identity: {
    // Not signed.
    key: [['header:x-gitea-delivery']],
    type: ['header:x-gitea-event', 'json:action'],
    typeJoin: '.',
    ordering: ['json:pull_request.id', 'json:issue.id', 'json:repository.id'],
  },
  types: { character: '[a-z_.]', example: 'pull_request.opened' },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 5_000 },
  signatureHeaders: ['x-gitea-signature', 'x-gogs-signature', 'x-hub-signature', 'x-hub-signature-256'],
  keepHeaders: ['x-gitea-event-type'],
  retries: 'None.',
  setup:
    'Repository, organisation or site settings, Webhooks, Add webhook, Gitea: this URL, POST, application/json (forms are signed otherwise), and a secret you choose.',
};
