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

export function secretValuesContract(subject: () => SecretValuesSubject): void {
  describe('SecretValues', () => {
    test.each(['whsec_abc', '1234567890', '{"current":"a","previous":"b"}', ' é\n'])(
      'gives back %j as stored',
      async text => {
        const source = freshSource();
        await subject().set(source, text);
        expect(await subject().values.fetch(source)).toBe(text);
      },
    );

    test('a secret that does not exist, or never had a value, is undefined', async () => {
      expect(await subject().values.fetch(freshSource())).toBeUndefined();
      const source = freshSource();
      await subject().set(source, undefined);
      expect(await subject().values.fetch(source)).toBeUndefined();
    });
  });
}
