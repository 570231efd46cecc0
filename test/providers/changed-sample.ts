/** One value of a sample changed: what the generated identity suite compares keys with. */
import type { DeclaredSample } from '#operator/sources/sample-event.ts';

/** A place in a request: a header, a field of the query or form, or a path of the JSON body, e.g. `events.0.id`. */
export type Place =
  | { readonly in: 'header' | 'query' | 'form' | 'json'; readonly name: string }
  | { readonly in: 'text'; readonly name: string }
  | { readonly in: 'member'; readonly name: string };

/** The sample with another value there. Throws when there is none: a declaration must be true of its sample. */
export function changed(sample: DeclaredSample, place: Place): DeclaredSample {
  const { name } = place;
  switch (place.in) {
    case 'header': {
      const value = sample.headers[name];
      if (value === undefined) throw new RangeError(`"${sample.title}" has no header ${name}`);
      return { ...sample, headers: { ...sample.headers, [name]: other(value) } };
    }
    case 'query':
      return { ...sample, rawQuery: changedField(sample.rawQuery, name) };
    case 'form':
      return { ...sample, body: changedField(sample.body, name) };
    case 'text': {
      if (!sample.body.includes(name)) throw new RangeError(`"${sample.title}" has no text ${name}`);
      return { ...sample, body: sample.body.replace(name, () => otherText(name)) };
    }
    case 'member': {
      const body = JSON.parse(sample.body) as Record<string, unknown>;
      return {
        ...sample,
        body: JSON.stringify(
          Object.fromEntries(Object.entries(body).map(([key, value]) => [key === name ? `${key}_2` : key, value])),
        ),
      };
    }
    case 'json': {
      const body: unknown = JSON.parse(sample.body);
      // A dot of a name itself is written `\\.`.
      const steps = name.split(/(?<!\\)\./).map(step => step.replaceAll('\\.', '.'));
      let at = body as Record<string, unknown>;
      for (const step of steps.slice(0, -1)) at = at?.[step] as Record<string, unknown>;
      const last = steps.at(-1) ?? '';
      if (at?.[last] === undefined) throw new RangeError(`"${sample.title}" has nothing at ${name}`);
      at[last] = otherValue(at[last]);
      return { ...sample, body: JSON.stringify(body) };
    }
  }
}

/** Every place of a sample with a value of its own. Signatures are put in later and are none of them. */
export function placesOf(sample: DeclaredSample): readonly Place[] {
  const headers = Object.keys(sample.headers).map((name): Place => ({ in: 'header', name }));
  const query = [...new URLSearchParams(sample.rawQuery).keys()].map((name): Place => ({ in: 'query', name }));
  return [...headers, ...query, ...bodyPlaces(sample)];
}

function bodyPlaces({ body, headers }: DeclaredSample): Place[] {
  if (headers['content-type']?.includes('form') && !body.startsWith('<'))
    return [...new URLSearchParams(body).keys()].map((name): Place => ({ in: 'form', name }));
  if (!isJson(body)) return [];
  const found: Place[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        const step = name.replaceAll('.', '\\.');
        visit(inner, path === '' ? step : `${path}.${step}`);
      }
    } else found.push({ in: 'json', name: path });
  };
  visit(JSON.parse(body), '');
  return found;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function changedField(pairs: string, name: string): string {
  const fields = new URLSearchParams(pairs);
  const value = fields.get(name);
  if (value === null) throw new RangeError(`there is no field ${name}`);
  fields.set(name, other(value));
  return fields.toString();
}

function otherValue(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return value === null ? 'something' : other(String(value));
}

/** Another text of the same form: a digit is another digit, so that times stay times. */
function other(text: string): string {
  return text === '' ? 'x' : otherText(text);
}

function otherText(text: string): string {
  const digit = [...text.matchAll(/\d/g)].at(-1);
  if (digit) return replaceAt(text, digit.index, digit[0] === '1' ? '2' : '1');
  const letter = [...text.matchAll(/[a-z]/gi)].at(-1);
  return letter ? replaceAt(text, letter.index, letter[0] === 'q' ? 'w' : 'q') : `${text}x`;
}

function replaceAt(text: string, at: number, char: string): string {
  return text.slice(0, at) + char + text.slice(at + 1);
}
