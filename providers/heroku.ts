import type { ProviderSpec } from 'holdfast';
import { bodyHmac } from './schemes/hmac-schemes.ts';

export const heroku: ProviderSpec = {
  id: 'heroku',
  title: 'Heroku app webhooks',
  docs: 'https://devcenter.heroku.com/articles/app-webhooks#securing-webhook-requests',
  checkedOn: '2026-11-27',
  source:
    "Sentry's release integration and three receivers agree. Retries: a client generated from Heroku's API schema.",
  unconfirmed: ['number of retries', 'deadline', 'fields that identify and date'],
  verify: [bodyHmac('heroku-webhook-hmac-sha256', 'base64')],
  identity: {
    key: [['json:webhook_metadata.event.id']],
    type: ['json:resource', 'json:action'],
    typeJoin: '.',
    time: { from: 'json:published_at', unit: 'iso8601' },
    ordering: 'json:data.id',
    // The attempt is numbered in the body.
    unstableBody: true,
  },
  types: { character: '[a-z_.-]', example: 'release.update' },
  retries: 'Level sync: until a good answer or a limit. Level notify: never.',
  setup:
    'Create an app webhook through the API or the command line: the entities, level sync, this URL, and a secret you choose.',
};
