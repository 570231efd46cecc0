/**
 * Links in what a contact is told. Opening one shows a page and does nothing: scanners of mail open every link. A POST of
 * the same address does it. `confirm` holds a random token, of which the item has the hash; `leave` a MAC, so that the
 * link of any mail goes on working, and nobody else can make one.
 */
import type { EpochMs } from '#core/glossary.ts';
import type { TokenPorts } from '#core/outbound/api/portal-token.ts';
import { type AppId, type ContactId, toBase32 } from '#core/outbound/protocol/ids.ts';
import type { Contact } from '#core/outbound/protocol/items.ts';
import type { Crypto } from '#core/ports.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';
import { DAY_MS } from '#core/time.ts';

export interface LinkPorts extends TokenPorts {
  readonly crypto: Pick<Crypto, 'hash' | 'hmac' | 'equal'>;
}
/** Whose link it is, and what proves it. */
interface Link {
  readonly app: AppId;
  readonly id: ContactId;
  readonly proof: string;
}

const GOOD_MS = DAY_MS;
/** 130 bits are a token. */
const TOKEN_BYTES = 17;

const hashOf = (token: string, { crypto }: LinkPorts): string => toHex(crypto.hash('sha256', utf8(token)));

/** What the link holds, and what the item keeps of it. */
export function newToken(
  ports: LinkPorts & { readonly randomBytes: (count: number) => Uint8Array },
  now: EpochMs,
): { readonly token: string; readonly kept: NonNullable<Contact['token']> } {
  const token = toBase32(ports.randomBytes(TOKEN_BYTES));
  return { token, kept: { hash: hashOf(token, ports), until: now + GOOD_MS } };
}

export const confirmUrl = (portalUrl: string, app: AppId, id: ContactId, token: string): string =>
  `${portalUrl}?confirm=${app}.${id}.${token}`;

/** Throws RangeError where there is no key. */
export function leaveUrl(portalUrl: string, app: AppId, id: ContactId, ports: LinkPorts): string {
  const [key] = ports.portalKeys;
  if (key === undefined) throw new RangeError('there is no key for links');
  return `${portalUrl}?leave=${app}.${id}.${macOf(app, id, key, ports)}`;
}

const macOf = (app: AppId, id: ContactId, key: Uint8Array, { crypto }: LinkPorts): string =>
  toBase32(crypto.hmac('sha256', key, utf8(`leave\n${app}\n${id}`)));

/** The value of `confirm` or `leave`; undefined: we made no such one. */
export function readLink(text: string): Link | undefined {
  const [, app, id, proof = ''] = /^(app_[0-9a-z]{26})\.(con_[0-9a-z]{26})\.([0-9a-z]{26})$/.exec(text) ?? [];
  return app === undefined ? undefined : { app: app as AppId, id: id as ContactId, proof };
}

export const isConfirmedBy = ({ token }: Contact, { proof }: Link, ports: LinkPorts, now: EpochMs): boolean =>
  ports.crypto.equal(utf8(hashOf(proof, ports)), utf8(token?.hash ?? '')) && now <= (token?.until ?? 0);

export const isLeave = ({ app, id, proof }: Link, ports: LinkPorts): boolean =>
  // Every key is tried, so that the time tells nothing about which one it was.
  ports.portalKeys.map(key => ports.crypto.equal(utf8(macOf(app, id, key, ports)), utf8(proof))).includes(true);
