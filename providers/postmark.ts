import type { ProviderSpec } from 'holdfast';

export const postmark: ProviderSpec = {
  id: 'postmark',
  title: 'Postmark',
  docs: 'https://postmarkapp.com/developer/webhooks/webhooks-overview',
  checkedOn: '2026-11-21',
  unconfirmed: ['event fields', 'retries other than inbound', 'deadline'],
  verify: [{ alg: 'basic', sig: { from: 'header:authorization' } }],
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
  ack: { status: 200, rejectStatus: 401, givesUpOn403: true, deadlineMs: 10_000 },
  retries: 'Inbound: ten over about ten and a half hours. 403 stops them: an address outside the allow list gets 401.',
  setup:
    "Postmark, Server, message stream, Webhooks: this URL with a user name and password before the host (https://user:password@…). The secret is user:password. Add Postmark's published addresses to the source's allow list.",
};
