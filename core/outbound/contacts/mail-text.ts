/**
 * Mails to contacts: plain text. What customers wrote is cut and made plain before it is in one: on one line, without marks
 * that turn text around, and in a form that no program makes a link of.
 */
import type { Mail } from '#core/outbound/ports.ts';
import { capText } from '#core/scan/text.ts';
import type { News } from './news.ts';

/** Bytes of a text of a customer. */
const LONGEST = 100;
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** `hooks.acme.com/in` becomes `hooks[.]acme[.]com/in`, and `https://` goes. */
export function plainText(text: string): string {
  const plain = text
    .slice(0, 4 * LONGEST)
    .replace(UNSEEN, '')
    .replace(/\b[a-z][a-z0-9+.-]{0,20}:\/\//gi, '')
    .replace(/(?<=\S)\.(?=\S)/g, '[.]')
    .replaceAll('@', '[at]')
    .replace(/:(?=\S)/g, ': ');
  return capText(plain, LONGEST).trim();
}

interface Told {
  readonly to: string;
  /** Of the platform, by its configuration. */
  readonly platform: string;
  /** Its name. */
  readonly application: string;
  readonly leaveUrl: string;
}

export function confirmMail({ to, platform, application, leaveUrl }: Told, confirmUrl: string): Mail {
  const text = [
    `Somebody gave this address to ${plainText(platform)}, to be told when webhooks of ${plainText(application)} fail.`,
    `Was it you? Open this page within 24 hours, and confirm:\n${confirmUrl}`,
    'If not, do nothing: nothing more is sent.',
  ];
  return { to, subject: `Confirm this address for webhooks of ${plainText(platform)}`, text: textOf(text), leaveUrl };
}

export function newsMail({ to, platform, application, leaveUrl }: Told, news: News): Mail {
  const { failing, disabled, dead, more } = news;
  const line = ({ url, link, endpoint }: News['failing'][number] | News['disabled'][number], words: string): string =>
    [`- ${plainText(url)} (${endpoint}), ${words}`, ...(link === undefined ? [] : [`  ${link}`])].join('\n');
  const at = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
  const part = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [[title, ...lines].join('\n')];
  const text = [
    `Webhooks of ${plainText(application)} at ${plainText(platform)}`,
    ...part(
      'These endpoints have failed for an hour. Deliveries to them are tried again:',
      failing.map(each => line(each, `since ${at(each.since)}`)),
    ),
    ...part(
      'These endpoints are disabled. Nothing is sent to them until somebody enables them:',
      disabled.map(each => line(each, `since ${at(each.since)}${each.reason ? `: ${plainText(each.reason)}` : ''}`)),
    ),
    ...(dead === undefined
      ? []
      : part(
          `${dead.exact ? '' : 'At least '}${dead.count} ${dead.count === 1 ? 'delivery' : 'deliveries'} ended undelivered between ${at(dead.since)} and ${at(dead.until)}, and can be replayed:`,
          dead.endpoints.map(each => line({ ...each, since: '' }, String(each.count))),
        )),
    ...(more === 0 ? [] : [`And ${more} endpoints more.`]),
    `No more of these mails:\n${leaveUrl}`,
  ];
  return { to, subject: `Webhooks of ${plainText(application)}: ${subjectOf(news)}`, text: textOf(text), leaveUrl };
}

const endpoints = (count: number): string => `${count} ${count === 1 ? 'endpoint' : 'endpoints'}`;
function subjectOf({ failing, disabled, dead }: News): string {
  if (disabled.length > 0) return `${endpoints(disabled.length)} disabled`;
  return failing.length > 0 ? `${endpoints(failing.length)} failing` : `${dead?.count ?? 0} undelivered`;
}

const textOf = (parts: readonly string[]): string => `${parts.join('\n\n')}\n`;
