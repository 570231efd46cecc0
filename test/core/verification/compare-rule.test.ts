import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const folder = new URL('../../../core/verification/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.ts'));

/** An operator next to a name that holds a signature, a secret or something computed from one. */
const COMPARISON =
  /(?:\b(?:\w*[mM]ac|\w*[sS]ignature|\w*[sS]ecret|\w*[tT]oken|\w*[dD]igest|claimed|expected|computed|received)\b(?:\.text)?\s*(?:===|!==)\s*(?![\s']|undefined|null|true|false))|(?:(?:===|!==)\s*(?:\w*[mM]ac|\w*[sS]ignature|\w*[sS]ecret|\w*[dD]igest|computed)\b)/;

describe('signatures and secrets', () => {
  it.each(files)('are never compared with === in %s', file => {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
    expect(lines.filter(line => COMPARISON.test(line))).toEqual([]);
  });

  it('would be found if they were', () => {
    expect(COMPARISON.test('if (signature === expectedHex) return true;')).toBe(true);
    expect(COMPARISON.test('return value !== computed;')).toBe(true);
    expect(COMPARISON.test('return a === secret;')).toBe(true);
    expect(COMPARISON.test('if (secret === undefined) return;')).toBe(false);
  });
});
