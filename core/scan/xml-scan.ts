/**
 * Just enough XML to read single elements of a signed notification (Braintree): elements, text, the five entities and
 * character references. Prefixes of names are left out. Documents with a DTD are refused, so nothing can expand. Attributes are skipped.
 */
import { MAX_JSON_DEPTH } from './json-tape.ts';

interface XmlElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

export interface XmlDocument {
  /** Text of the first element at a path such as `notification.subject.*.id` (`*`: any name, `a[].b`: of each `a`), or undefined. */
  text(path: string): string | undefined;
}

const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)([^<>]*)>|([^<]+)/y;
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
  return open.length === 1 ? { text: path => textAt(root, path) } : undefined;
}

/** Of `a[].b` the texts of all, joined by commas; else the first. */
function textAt(root: XmlElement, path: string): string | undefined {
  const found = find([root], path.replace('[]', '').split('.'));
  const texts = found.map(element => element.text.trim());
  return path.includes('[]') && texts.length > 0 ? texts.join(',') : texts[0];
}

function find(from: readonly XmlElement[], [step, ...rest]: readonly string[]): readonly XmlElement[] {
  if (step === undefined) return from;
  const next = from.flatMap(({ children }) => children.filter(child => step === '*' || child.name === step));
  return find(next, rest);
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
