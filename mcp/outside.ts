/**
 * Texts that came from outside: types, names, headers, errors, bodies, ids that a provider chose. A model reads them beside
 * what we say, so each stands in a field of its own, `untrusted`, cut, and without what nobody sees.
 */
export interface Outside {
  readonly untrusted: string;
  /** How many characters it had, where it was cut. */
  readonly cut_from?: number;
}

const MOST = 400;
/**
 * Controls, marks that turn a line around, letters without width, Unicode's tags and variation selectors (in which a text can
 * hide that a model reads and a person does not see). Lines and tabs stay: JSON writes them as \n and \t.
 */
// biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them by itself
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/gu;

/** At most `most` characters of a text, marked. `null` stays: there is no text. */
export function outside(text: string, most?: number): Outside;
export function outside(text: string | null | undefined, most?: number): Outside | null;
export function outside(text: string | null | undefined, most = MOST): Outside | null {
  if (text === null || text === undefined) return null;
  const untrusted = text.slice(0, most).replace(UNSEEN, '');
  return text.length > most ? { untrusted, cut_from: text.length } : { untrusted };
}

/** What has to come back as it is: an id, a cursor. Its characters are those that our ids have; it is not cut. */
export const handle = (id: string): Outside => outside(id, Number.POSITIVE_INFINITY);
