import type { ProviderSpec } from 'holdfast';

export const discordInteractions: ProviderSpec = {
  id: 'discord-interactions',
  title: 'Discord interactions',
  docs: 'https://docs.discord.com/developers/interactions/overview',
  checkedOn: '2026-11-21',
  verify: [
    {
      id: 'discord',
      alg: 'ed25519',
      sig: { from: 'header:x-signature-ed25519' },
      encoding: 'hex',
      key: { encoding: 'hex' },
      message: '{ts}{body}',
      time: { from: 'header:x-signature-timestamp', unit: 's', past: 300, future: 300, signed: true },
    },
  ],
  identity: {
    key: [['json:id']],
    type: ['json:data.name', 'json:data.custom_id', 'json:type'],
    time: { from: 'header:x-signature-timestamp', unit: 's' },
    ordering: 'json:id',
  },
  // Type 5: the answer follows. The handler has 15 minutes to send it with the token of the interaction.
  ack: { status: 200, contentType: 'application/json', body: '{"type":5}', rejectStatus: 401, deadlineMs: 3_000 },
  handshakes: [
    {
      when: { method: 'POST', jsonEquals: { type: 1 }, jsonMissing: ['event'] },
      verify: 'signature',
      respond: { status: 200, contentType: 'application/json', body: '{"type":1}', elseStatus: 401 },
    },
  ],
  retries: 'None: an interaction not answered in time fails for the user.',
  setup:
    'Discord Developer Portal, the application, General Information: the Public Key is the secret; enter this URL as Interactions Endpoint URL. Discord probes it with good and bad signatures, also later. Commands and modals are acknowledged as "thinking"; autocomplete needs its answer at once, which no queue gives.',
};
