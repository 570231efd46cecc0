import { describe, expect, test } from 'vitest';
import type { SecretValues } from '#adapters/secrets/cached-secrets.ts';
import { type SourceId, toSourceId } from '#core/glossary.ts';

export interface SecretValuesSubject {
  readonly values: SecretValues;
  /** Creates the secret of a source, without a value when none is given. */
  set(sourceId: SourceId, text: string | undefined): Promise<void>;
}

let sources = 0;
const freshSource = (): SourceId => toSourceId(`contract-${Date.now().toString(36)}-${++sources}`);

/** `racesReplace`: this implementation does not refuse another value under a request token that was used. */
export function secretValuesContract(subject: () => SecretValuesSubject, racesReplace = false): void {
  describe('SecretValues', () => {
    test.each(['whsec_abc', '1234567890', '{"current":"a","previous":"b"}', ' é\n'])(
      'gives back %j as stored',
      async text => {
        const source = freshSource();
        await subject().set(source, text);
        expect(await subject().values.fetch(source)).toBe(text);
      },
    );

    test('replaces what is stored only while it is what was expected', async () => {
      const source = freshSource();
      await subject().set(source, 'open');
      expect(await subject().values.replace(source, 'something else', 'brought')).toBe(false);
      expect(await subject().values.replace(source, 'open', 'brought')).toBe(true);
      expect(await subject().values.replace(source, 'open', 'late')).toBe(false);
      expect(await subject().values.fetch(source)).toBe('brought');
      expect(await subject().values.replace(freshSource(), 'open', 'x')).toBe(false);
    });

    test.skipIf(racesReplace)('lets one of five concurrent replacements through', async () => {
      const source = freshSource();
      await subject().set(source, 'open');
      const texts = ['a', 'b', 'c', 'd', 'e'];
      const won = await Promise.all(texts.map(text => subject().values.replace(source, 'open', text)));
      expect(won.filter(each => each)).toHaveLength(1);
      expect(await subject().values.fetch(source)).toBe(texts[won.indexOf(true)]);
    });

    test('tells several at once, each its own, and none that has no value', async () => {
      const sources = Array.from({ length: 23 }, freshSource);
      const unset = freshSource();
      for (const source of sources) await subject().set(source, `of ${source}`);
      await subject().set(unset, undefined);
      const found = await subject().values.fetchMany([...sources, unset, freshSource()]);
      expect([...found].sort()).toEqual(sources.map(source => [source, `of ${source}`]).sort());
      expect(await subject().values.fetchMany([])).toEqual(new Map());
    });

    test('a secret that does not exist, or never had a value, is undefined', async () => {
      expect(await subject().values.fetch(freshSource())).toBeUndefined();
      const source = freshSource();
      await subject().set(source, undefined);
      expect(await subject().values.fetch(source)).toBeUndefined();
    });
  });
}
