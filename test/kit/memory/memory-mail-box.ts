import { DependencyError } from '#core/errors.ts';
import type { Mail, Mailer } from '#core/outbound/ports.ts';

/** A mail box in the place of SES: what came, the oldest first. */
export class MemoryMailBox implements Mailer {
  readonly mails: Mail[] = [];
  /** `not_applied`: each mail is refused. `unknown`: it comes, and nobody hears of it. */
  fault: 'not_applied' | 'unknown' | undefined;

  async send(mail: Mail): Promise<void> {
    if (this.fault !== 'not_applied') this.mails.push(mail);
    if (this.fault !== undefined) throw new DependencyError('ses', 'SendEmail: no answer', { outcome: this.fault });
  }
}
