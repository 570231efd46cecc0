/**
 * Amazon SNS. The signed text is `Name\nValue\n` of fixed fields by message type; the certificate is at an address in
 * the body. Any AWS account can have SNS sign anything for a topic of its own, so the topic must be one of ours.
 * Source: docs.aws.amazon.com/sns, "Verifying the signatures of Amazon SNS messages".
 */
import { fromBase64, utf8 } from '#core/scan/bytes.ts';
import { fetchOne, isPinnedUrl } from '#core/verification/find-public-keys.ts';
import type { RequestReader } from '#core/verification/request-reader.ts';
import { type Matched, type Refused, refused } from '#core/verification/verdict.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';

const SNS_HOST = 'sns\\.[a-z]{2,4}(?:-[a-z]+)+-\\d{1,2}\\.amazonaws\\.(?:com|com\\.cn|eu)';
const CERTIFICATE_PATH = '/SimpleNotificationService-[A-Za-z0-9]+\\.pem';

const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const SIGNED_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
};
/** A line break in one of these would let lines move between it and the message, and leave the signed text the same. */
const SINGLE_LINES = ['MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn'];

export async function verifySns(reader: RequestReader, context: VerifyContext): Promise<Matched | Refused> {
  const topics = (reader.text('config:topicArn') ?? '').split(',').map(topic => topic.trim());
  if (topics.join('') === '') return refused('no_key', 'setting_not_configured');
  if (!reader.json()) return refused('malformed', 'body_is_not_json');
  const field = (name: string) => reader.text(`json:${name}`);
  const signature = fromBase64(field('Signature') ?? '');
  if (field('Signature') === undefined) return refused('missing', 'no_signature');
  const version = field('SignatureVersion');
  const canonical = canonicalSnsText(field);
  if (!signature || canonical === undefined || (version !== '1' && version !== '2')) return refused('malformed');
  if (SINGLE_LINES.some(name => field(name)?.includes('\n'))) return refused('malformed', 'line_break');
  // Absent is signed as absent: a subject that is there and no text must not pass for that.
  if (reader.text('json:Subject?') === undefined) return refused('malformed', 'subject_is_no_text');
  // Asked before the certificate is: who does not know our topics cannot make us fetch anything.
  if (!topics.includes(field('TopicArn') ?? '')) return refused('binding', 'topic_not_configured');
  const url = field('SigningCertURL') ?? '';
  if (!isPinnedUrl(url, SNS_HOST, CERTIFICATE_PATH)) return refused('binding', 'key_url_not_allowed');
  const found = await fetchOne(context, 'x509Url', url);
  if (found.kind === 'refused') return found;
  const algorithm = version === '1' ? 'sha1' : 'sha256';
  for (const { key } of found.keys) {
    if (await context.crypto.verifyRsa(algorithm, key, utf8(canonical), signature))
      return { kind: 'matched', matchedSecret: 'fetched' };
  }
  return refused('mismatch');
}

/** The signed text of a message, or undefined when its type is unknown or a field is missing. */
export function canonicalSnsText(field: (name: string) => string | undefined): string | undefined {
  const type = field('Type') ?? '';
  const names = Object.hasOwn(SIGNED_FIELDS, type) ? SIGNED_FIELDS[type] : undefined;
  if (!names) return undefined;
  let text = '';
  for (const name of names) {
    const value = field(name);
    if (value !== undefined) text += `${name}\n${value}\n`;
    else if (name !== 'Subject') return undefined;
  }
  return text;
}
