/** Writes one value into a JSON body by splicing bytes, so that everything else stays as it is. For signing only. */
import { concatBytes, utf8 } from './bytes.ts';
import { ROOT, scanJson } from './json-scan.ts';

/**
 * Sets the value at a path (`a.b`, `items[0].a`): in place where it exists, else as the first member of the deepest
 * object on the way that does. Digits alone become a number unless a string was there. Throws RangeError when the body
 * is not a JSON object or the path does not fit it.
 */
export function setJsonText(body: Uint8Array, path: string, value: string): Uint8Array {
  const document = scanJson(body.length === 0 ? utf8('{}') : body);
  if (!document)
    throw new RangeError('the body is not JSON: give a JSON body, because this provider puts its signature into it');
  const bytes = body.length === 0 ? utf8('{}') : body;
  const existing = document.find(path);
  if (existing !== undefined) {
    const literal = document.kind(existing) === 'string' ? JSON.stringify(value) : literalOf(value);
    return splice(bytes, document.slice(existing), literal);
  }
  const steps = path.split('.');
  const missing: string[] = [];
  for (;;) {
    missing.unshift(steps.pop() ?? '');
    const node = steps.length === 0 ? ROOT : document.find(steps.join('.'));
    if (node === undefined) continue;
    if (document.kind(node) !== 'object')
      throw new RangeError(
        `the signature cannot be put at "${path}": the body has something other than an object on the way there`,
      );
    const opening = document.slice(node).subarray(0, 1);
    const separator = document.members(node).length > 0 ? ',' : '';
    const [first = '', ...deeper] = missing;
    const nested = deeper.reduceRight((inner, key) => `{${JSON.stringify(key)}:${inner}}`, literalOf(value));
    return splice(bytes, opening, `{${JSON.stringify(first)}:${nested}${separator}`);
  }
}

function literalOf(value: string): string {
  return /^(?:0|[1-9]\d{0,15})$/.test(value) ? value : JSON.stringify(value);
}

/** Replaces a slice of the bytes (a view on them) by a text. */
function splice(bytes: Uint8Array, slice: Uint8Array, text: string): Uint8Array {
  const start = slice.byteOffset - bytes.byteOffset;
  return concatBytes([bytes.subarray(0, start), utf8(text), bytes.subarray(start + slice.length)]);
}
