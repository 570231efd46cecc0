import type { ProviderSpec } from 'holdfast';

export const snyk: ProviderSpec = {
  id: 'snyk',
  title: 'Snyk',
  docs: 'https://docs.snyk.io/snyk-api/using-specific-snyk-apis/webhooks-apis/webhooks',
  checkedOn: '2026-11-27',
  source:
    "snyk/user-docs, about-webhooks.md and validation-and-versioning-of-payloads.md (Snyk's own documentation): an HMAC-SHA256 of the body in hex after sha256=; the headers X-Snyk-Event, X-Snyk-Transport-ID and X-Snyk-Timestamp.",
  unconfirmed: [
    'That X-Snyk-Transport-ID stays the same when a delivery is sent again. It is in a header and not signed.',
    'Whether and how often a delivery is repeated.',
    'The deadline of an answer.',
  ],
  strength: 'signed',
  verify: [
    {
      id: 'snyk',
      alg: 'hmac-sha256',
      sig: { from: 'header:x-hub-signature', parse: { prefix: 'sha256=' } },
      encoding: 'hex',
      message: '{body}',
    },
  ],
  identity: {
    key: [['header:x-snyk-transport-id'], ['hash:body']],
    // With its version: project_snapshot/v0.
    type: ['header:x-snyk-event'],
    time: { from: 'header:x-snyk-timestamp', unit: 'iso8601' },
    ordering: 'json:project.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-hub-signature'],
  retries: 'Not documented.',
  setup:
    'Create the webhook through the API (POST /v1/org/{id}/webhooks) with this URL and a secret of your own making; Snyk sends a ping at once.',
};
