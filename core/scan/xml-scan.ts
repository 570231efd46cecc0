/**
 * Just enough XML to read single elements of a signed notification (Braintree): elements, text, the five entities and
 * character references. Documents with a DTD are refused, so nothing can expand. Attributes are skipped.
 */
import { MAX_JSON_DEPTH } from './json-tape.ts';

interface XmlElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

export interface XmlDocument {
  /** Text of the first element at a path such as `notification.subject.*.id` (`*`: any name), or undefined. */
  text(path: string): string | undefined;
}

const TOKEN = /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z_][\w.-]*)([^<>]*)>|([^<]+)/y;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Scans a document, or undefined when it is not well-formed in the way above. Never throws. */
export function scanXml(text: string): XmlDocument | undefined {
  const root: XmlElement = { name: '', children: [], text: '' };
  const open: XmlElement[] = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    if (!token) return undefined;
    const [, cdata, slash, name, rest, chars] = token;
    const top = open.at(-1) ?? root;
    if (cdata !== undefined) top.text += cdata;
    else if (chars !== undefined) top.text += unescapeXml(chars);
    else if (name !== undefined && slash === '/') {
      if (open.length === 1 || top.name !== name) return undefined;
      open.pop();
    } else if (name !== undefined) {
      const element: XmlElement = { name, children: [], text: '' };
      top.children.push(element);
      if (!rest?.endsWith('/')) open.push(element);
      if (open.length > MAX_JSON_DEPTH) return undefined;
    }
  }
  return open.length === 1 ? { text: path => find([root], path.split('.'))?.text.trim() } : undefined;
}

function find(from: readonly XmlElement[], steps: readonly string[]): XmlElement | undefined {
  const [step, ...rest] = steps;
  if (step === undefined) return from[0];
  for (const element of from) {
    const next = element.children.filter(child => step === '*' || child.name === step);
    const found = next.length > 0 ? find(next, rest) : undefined;
    if (found) return found;
  }
  return undefined;
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
