import type { ProviderSpec } from 'holdfast';

export const postmark: ProviderSpec = {
  id: 'postmark',
  title: 'Postmark',
  docs: 'https://postmarkapp.com/developer/webhooks/webhooks-overview',
  checkedOn: '2026-11-21',
  unconfirmed: [
    'Which fields identify, name and date an event.',
    'The retry intervals of webhooks other than inbound.',
    'The deadline of an answer.',
  ],
  strength: 'shared-secret',
  verify: [{ id: 'postmark', alg: 'basic', sig: { from: 'header:authorization' } }],
  identity: {
    key: [
      ['json:RecordType', 'json:MessageID', 'json:ID'],
      // One message has many recipients, and one recipient clicks on many links.
      ['json:RecordType', 'json:MessageID', 'json:Recipient', 'json:DeliveredAt'],
      [
        'json:RecordType',
        'json:MessageID',
        'json:Recipient',
        'json:ReceivedAt',
        'json:OriginalLink?',
        'json:ClickLocation?',
      ],
      ['json:RecordType', 'json:MessageID', 'json:Recipient', 'json:ChangedAt', 'json:SuppressSending?'],
      ['json:RecordType', 'hash:body'],
      ['json:MessageID'],
    ],
    type: ['json:RecordType', 'json:MessageStream'],
    ordering: 'json:MessageID',
  },
  // 403 would stop the retries.
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['authorization'],
  retries: 'Inbound: ten times over about ten and a half hours. 403 stops them.',
  setup:
    'Postmark, Server, message stream, Webhooks: enter this URL with a user name and a password in front of the host (https://user:password@…). The secret of the source is user:password. Postmark signs nothing; add its published addresses to the allow list of the source.',
};
