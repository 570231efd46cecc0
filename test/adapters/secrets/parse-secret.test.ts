import { describe, expect, test } from 'vitest';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';

describe('a stored secret', () => {
  test.each([
    ['a plain text', 'whsec_abc', { current: 'whsec_abc' }],
    ['digits only', '1234567890', { current: '1234567890' }],
    ['a JSON text', '"quoted"', { current: '"quoted"' }],
    ['true', 'true', { current: 'true' }],
    ['broken JSON that is no rotation', '{"a":', { current: '{"a":' }],
    ['a text with the line end of its file', 'abc\r\n', { current: 'abc' }],
    [
      'a rotation with line ends in it',
      '{"current":"new\\n","previous":"old\\n"}',
      { current: 'new', previous: 'old' },
    ],
    ['a rotation behind a byte order mark', '\ufeff{"current":"new"}', { current: 'new' }],
    ['surrounding space, which may be part of it', ' abc ', { current: ' abc ' }],
    ['a rotation object', '{"current":"new","previous":"old"}', { current: 'new', previous: 'old' }],
    [
      'a rotation with a limit in epoch milliseconds',
      '{"current":"new","previous":"old","previousNotAfter":1767571200000}',
      { current: 'new', previous: 'old', previousNotAfter: 1_767_571_200_000 },
    ],
    [
      'a rotation with a limit as a time',
      '{"current":"new","previous":"old","previousNotAfter":"2026-01-05T00:00:00Z"}',
      { current: 'new', previous: 'old', previousNotAfter: 1_767_571_200_000 },
    ],
    ['a rotation that is over', '{"current":"new","previous":""}', { current: 'new' }],
  ])('that is %s', (_name, text, secret) => {
    expect(parseSecret(text)).toEqual({ kind: 'secret', secret });
  });

  test.each([undefined, '', '  \n', '{"current":""}', '{"current":" "}'])('that is empty counts as unset: %j', text => {
    expect(parseSecret(text)).toEqual({ kind: 'unset' });
  });

  test.each([
    '{"current":5}',
    '{"current":"a","previous":7}',
    '{"current":"a","previous":"b","previousNotAfter":"soon"}',
    // In seconds.
    '{"current":"a","previous":"b","previousNotAfter":1767571200}',
    '{"current":"a","previous":"b",}',
    '{"current":"a"',
    "{'current':'a'}",
    '{“current”:“a”}',
    '{"Current":"a"}',
    '{"previous":"b"}',
    // As the AWS console makes of a key and a value.
    '{"stripe":"whsec_a"}',
    '{}',
  ])('that is half a rotation is an error, not a guess: %s', text => {
    expect(() => parseSecret(text)).toThrow(TypeError);
  });
});
