import type { ProviderSpec } from 'holdfast';

export const telegram: ProviderSpec = {
  id: 'telegram',
  title: 'Telegram bots',
  docs: 'https://core.telegram.org/bots/api#setwebhook',
  checkedOn: '2026-11-23',
  source:
    "The Bot API's own text of setWebhook and Update, as copied by many libraries: the header, update_id, letters of the token.",
  unconfirmed: [
    'How often and for how long an update is sent again (a reasonable amount of attempts).',
    'The deadline of an answer.',
  ],
  strength: 'shared-secret',
  verify: [{ id: 'telegram', alg: 'token', sig: { from: 'header:x-telegram-bot-api-secret-token' } }],
  identity: {
    key: [['json:update_id']],
    // An update is named by the field it has (message, callback_query, …): handlers look there.
    type: ['text:update'],
    time: { from: 'json:message.date', unit: 's' },
    ordering: 'json:message.chat.id',
  },
  ack: { status: 200, rejectStatus: 401, deadlineMs: 10_000 },
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: ['x-telegram-bot-api-secret-token'],
  retries: 'For a while, as long as anything but 2xx comes; update_id stays the same.',
  setup:
    'Call setWebhook of the bot with this URL and a secret_token of your own making (letters, digits, _ and -), which is the secret of the source. One source per bot: update_id counts per bot.',
};
