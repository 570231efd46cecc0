import type { ProviderSpec } from 'holdfast';

export const sns: ProviderSpec = {
  id: 'sns',
  title: 'Amazon SNS',
  docs: 'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html',
  checkedOn: '2026-11-21',
  unconfirmed: ['deadline'],
  verify: [
    {
      id: 'aws-sns',
      alg: 'rsa-sha256',
      sig: { from: 'json:Signature' },
      encoding: 'base64',
      key: {
        provider: 'x509Url',
        from: 'json:SigningCertURL',
        hosts: 'sns\\.[a-z]{2}(?:-[a-z]+)+-\\d{1,2}\\.amazonaws\\.com(?:\\.cn)?',
        paths: '/SimpleNotificationService-[A-Za-z0-9]+\\.pem',
      },
      code: 'sns',
    },
  ],
  identity: {
    key: [['json:MessageId']],
    type: ['json:Type'],
    time: { from: 'json:Timestamp', unit: 'iso8601' },
    ordering: 'json:TopicArn',
  },
  ack: { status: 200, contentType: 'text/plain', body: '', rejectStatus: 401, deadlineMs: 15_000 },
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { Type: 'SubscriptionConfirmation', SubscribeURL: '*' } },
      verify: 'signature',
      respond: { status: 200, contentType: 'text/plain', body: '', elseStatus: 401 },
      confirm: { url: 'json:SubscribeURL', hosts: 'sns\\.[a-z]{2}(?:-[a-z]+)+-\\d{1,2}\\.amazonaws\\.com(?:\\.cn)?' },
    },
  ],
  keepHeaders: ['x-amz-sns-message-type', 'x-amz-sns-topic-arn', 'x-amz-sns-subscription-arn'],
  settings: {
    topicArn: "The topic's ARN (several separated by commas); any other topic is refused",
  },
  retries:
    "Three, 20 seconds apart, unless the subscription's delivery policy says otherwise; at most one hour in all. Its dead-letter queue keeps what failed.",
  setup:
    'Subscribe this URL to the topic with protocol HTTPS; the subscription confirms itself if the topic is a configured one. Set SignatureVersion 2 on the topic (SHA-256; version 1 is SHA-1). There is no secret. Leave raw message delivery off: raw messages are unsigned.',
};
