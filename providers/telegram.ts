import type { ProviderSpec } from 'holdfast';

export const telegram: ProviderSpec = {
  id: 'telegram',
  title: 'Telegram bots',
  docs: 'https://core.telegram.org/bots/api#setwebhook',
  checkedOn: '2026-11-23',
  source: "The Bot API's text of setWebhook and Update, as libraries copy it.",
  unconfirmed: ['retries ("a reasonable amount of attempts")', 'deadline'],
  verify: [{ alg: 'token', sig: { from: 'header:x-telegram-bot-api-secret-token' } }],
  identity: {
    key: [['json:update_id']],
    // An update is named by the field it has (message, callback_query, …): handlers look there.
    type: ['text:update'],
    time: { from: 'json:message.date', unit: 's' },
    ordering: 'json:message.chat.id',
  },
  retries: 'For a while after anything but 2xx; update_id stays.',
  setup:
    "Call the bot's setWebhook with this URL and a secret_token you choose (letters, digits, _ and -), which is the secret. update_id counts per bot: one source each.",
};
