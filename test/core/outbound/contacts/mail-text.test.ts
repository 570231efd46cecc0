/** What customers wrote is plain in a mail: one line, short, no link, no mark that turns text around. */
import { expect, it } from 'vitest';
import { confirmMail, newsMail, plainText } from '#core/outbound/contacts/mail-text.ts';

const HOSTILE =
  'Pay\r\nBcc: a@b.co\u0000 at https://evil.example.com/x?y=1 or www.evil.com \u202emoc.live\u2066 <a href="http://e.vil">';

it.each([
  ['https://hooks.customer.com/in', 'hooks[.]customer[.]com/in'],
  ['HTTP://evil.com:8080/', 'evil[.]com: 8080/'],
  ['javascript:alert(1)', 'javascript: alert(1)'],
  ['mail me@evil.com. Now.', 'mail me[at]evil[.]com. Now.'],
  ['a\r\nSubject: x', 'a Subject: x'],
  ['\u202egnp.\u2066exe\u200b', 'gnp[.]exe'],
])('%j becomes %j', (text, plain) => {
  expect(plainText(text)).toBe(plain);
});

it('holds no link but ours, no control character and no more than a line of each text', () => {
  const told = {
    to: 'ops@customer.com',
    platform: 'Acme',
    application: HOSTILE.repeat(50),
    leaveUrl: 'https://o.urs/?leave=1',
  };
  const named = { endpoint: 'ep_1' as const, url: `https://evil.com/${'x'.repeat(3_000)}`, link: 'https://o.urs/e' };
  const at = '2026-11-27T03:04:05.000Z';
  const news = {
    failing: [{ ...named, since: at }],
    disabled: [{ ...named, since: at, reason: HOSTILE }],
    dead: { since: at, until: at, count: 1, exact: false, endpoints: [{ ...named, count: 1 }] },
    more: 3,
  };
  for (const { subject, text } of [confirmMail(told, 'https://o.urs/?confirm=1'), newsMail(told, news)]) {
    expect(subject).toMatch(/^[^\p{Cc}\p{Cf}]{1,250}$/u);
    expect(text).toMatch(/^[^\p{Cf}\r\0]*$/u);
    const links = text.match(/\S*(?:\w\.\w|:\/\/|@)\S*/g) ?? [];
    for (const link of links) expect(link).toMatch(/^https:\/\/o\.urs\//);
    expect(Math.max(...text.split('\n').map(line => line.length))).toBeLessThan(400);
    expect(text).not.toMatch(/^(?:Bcc|Subject):/m);
  }
});
