/**
 * An alarm as a message of a Slack incoming webhook: Block Kit, and `text` for notifications. Limits and escaping:
 * docs.slack.dev/reference/block-kit (header 150 characters, section 3,000) and docs.slack.dev/messaging/formatting-message-text.
 */
import type { AlarmNews } from './alarm-news.ts';

const HEADER_LIMIT = 150;
const SECTION_LIMIT = 3_000;

export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

export function slackMessage(
  news: AlarmNews,
  about: { readonly environment: string; readonly severity: string },
): SlackMessage {
  const title = `${news.state}: ${news.name}`;
  const where = `${about.environment} · ${about.severity}${news.at === undefined ? '' : ` · ${news.at}`}`;
  const resolved = news.state === 'OK';
  return {
    text: toText(title),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, HEADER_LIMIT) } },
      // What it asks of a person is past when it is over.
      ...(resolved || news.description === '' ? [] : [section('```', news.description, '```')]),
      ...(news.reason === '' ? [] : [section('*Why now:* ', news.reason, '')]),
      { type: 'context', elements: [{ type: 'mrkdwn', text: toText(where) }] },
    ],
  };
}

function section(before: string, text: string, after: string): object {
  const room = SECTION_LIMIT - before.length - after.length;
  return { type: 'section', text: { type: 'mrkdwn', text: `${before}${cutText(text, room)}${after}` } };
}

const MEANINGS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Without the three characters that mean something to Slack; a code block would end at three backticks. */
function toText(text: string): string {
  return text.replaceAll('```', "'''").replaceAll(/[&<>]/g, each => MEANINGS[each] ?? each);
}

/** `toText`, cut to `limit` characters: what it makes of one character is kept whole or left out. */
function cutText(text: string, limit: number): string {
  const whole = toText(text);
  if (whole.length <= limit) return whole;
  return `${/^(?:&(?:amp|lt|gt);|[^&])*/u.exec(whole.slice(0, limit - 1))?.[0] ?? ''}…`;
}

/** Cut to `limit` UTF-16 units, never through the middle of a character. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = limit - 1;
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return `${text.slice(0, isHalf ? end - 1 : end)}…`;
}
