import type { Mailer } from '#core/outbound/ports.ts';

/** The client of SES is read only where mails are sent. `from` undefined: no mail is. */
export async function lazyMailer(from: string | undefined): Promise<Mailer | undefined> {
  if (from === undefined) return undefined;
  const { createSesClient, SesMailer } = await import('./ses-mailer.ts');
  return new SesMailer(createSesClient(), from);
}
