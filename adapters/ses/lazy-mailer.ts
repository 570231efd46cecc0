import type { Mailer } from '#core/outbound/ports.ts';
import type { MailSender } from './ses-mailer.ts';

/** The client of SES is read only where mails are sent. `sender` undefined: no mail is. */
export async function lazyMailer(sender: MailSender | undefined): Promise<Mailer | undefined> {
  if (sender === undefined) return undefined;
  const { createSesClient, sesMailer } = await import('./ses-mailer.ts');
  return sesMailer(createSesClient(), sender);
}
