import { setTimeout as wait } from 'node:timers/promises';
import type { LocalAws } from '#local/emulator/emulator.ts';

/** A mail that left by the local AWS: it goes to nobody. */
export interface SentMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

const POLL_MS = 1_000;

/** What the local AWS keeps of each mail, in the order it took them. Another one than ours keeps none. */
export async function readMails({ endpoint }: Pick<LocalAws, 'endpoint'>): Promise<readonly SentMail[]> {
  const answer = await fetch(`${endpoint}/_ministack/ses/messages`, { signal: AbortSignal.timeout(POLL_MS * 10) });
  const { messages } = (await answer.json()) as { messages?: Readonly<Record<string, readonly Kept[]>> };
  return Object.values(messages ?? {})
    .flat()
    .map(({ Source, To, Subject, BodyText }) => ({ from: Source, to: To, subject: Subject, text: BodyText }));
}
interface Kept {
  readonly Source: string;
  readonly To: readonly string[];
  readonly Subject: string;
  readonly BodyText: string;
}

/** Calls `show` for each mail from now on, until aborted. */
export async function followMails(aws: LocalAws, show: (mail: SentMail) => void, signal: AbortSignal): Promise<void> {
  let seen = (await readMails(aws).catch(() => [])).length;
  while (!signal.aborted) {
    await wait(POLL_MS, undefined, { signal }).catch(() => undefined);
    // It may be busy, or end with us: the next look will tell.
    const mails = await readMails(aws).catch(() => []);
    if (signal.aborted) return;
    for (const mail of mails.slice(seen)) show(mail);
    seen = Math.max(seen, mails.length);
  }
}
