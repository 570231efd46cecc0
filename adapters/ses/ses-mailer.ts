import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import type { Mailer } from '#core/outbound/ports.ts';
import { clientSettings, type Environment } from '../aws/client-settings.ts';
import { endCalls } from '../aws/end-calls.ts';
import { toDependencyError } from '../aws/to-dependency-error.ts';

/** Nobody waits for a mail, and one that is sent twice is worse than one that is late. */
const ANSWER_MS = 5_000;

/** The SES client of a module's scope. One try: a second may send the mail again. Throws when the environment names no region. */
export function createSesClient(env?: Environment): SESv2Client {
  const settings = clientSettings('SESV2', env);
  const requestHandler = { ...settings.requestHandler, requestTimeout: ANSWER_MS, socketTimeout: ANSWER_MS };
  return endCalls(new SESv2Client({ ...settings, maxAttempts: 1, requestHandler }));
}

export interface MailSender {
  /** An address of a verified identity. */
  readonly from: string;
  /** @default the identity's own, which the role may not use */
  readonly configurationSet?: string;
}

/** `Mailer` by SES, which writes the headers: no text of a mail becomes one. */
export const sesMailer = (client: SESv2Client, sender: MailSender): Mailer => ({
  async send({ to, subject, text, leaveUrl }) {
    const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
    const Headers = [
      { Name: 'List-Unsubscribe', Value: `<${leaveUrl}>` },
      { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
    ];
    const command = new SendEmailCommand({
      FromEmailAddress: sender.from,
      ...given({ ConfigurationSetName: sender.configurationSet }),
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) }, Headers } },
    });
    try {
      await client.send(command);
    } catch (error) {
      // What SES says names the address, which no log may.
      const { outcome } = toDependencyError('ses', 'SendEmail', error);
      throw new DependencyError('ses', `SendEmail: ${error instanceof Error ? error.name : 'Error'}`, { outcome });
    }
  },
});
