import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Answer, answerReader } from '#adapters/aws/signed/answer-reader.ts';

/** Pushes a text in pieces of these sizes, the rest at once. */
function read(text: string, sizes: readonly number[] = []): Answer | undefined {
  const take = answerReader();
  let rest = Buffer.from(text, 'latin1');
  let answer: Answer | 'begun' | undefined;
  for (const size of [...sizes, rest.length]) {
    if (rest.length === 0) break;
    const piece = rest.subarray(0, size);
    rest = rest.subarray(piece.length);
    answer = take(piece);
  }
  return answer === 'begun' ? undefined : answer;
}

const head = (...lines: readonly string[]): string => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;
const sized = `${head('Content-Type: application/x-amz-json-1.0', 'CONTENT-LENGTH:  11 ', 'x-a: 1', 'x-a: 2')}{"a": "\xe9\xa9"}`;
const chunked = `${head('Transfer-Encoding: chunked')}5\r\n{"a":\r\n8 ;x=y\r\n "\xe9\xa9\r\n"}\r\n0\r\nx-sum: 1\r\n\r\n`;

describe('an answer', () => {
  test('is read the same in whatever pieces it comes', () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(pieces, sizes => {
        const first = read(sized, sizes);
        expect(first).toMatchObject({ status: 200, keep: true });
        expect(first?.headers).toMatchObject({ 'content-length': '11', 'x-a': '1, 2' });
        expect(first?.bytes.toString('latin1')).toBe('{"a": "\xe9\xa9"}');
        expect(read(chunked, sizes)?.bytes.toString('latin1')).toBe('{"a": "\xe9\xa9\r\n"}');
      }),
      { numRuns: 100 },
    );
    expect(
      read(
        sized,
        Array.from(sized, () => 1),
      )?.status,
    ).toBe(200);
    expect(
      read(
        chunked,
        Array.from(chunked, () => 1),
      )?.status,
    ).toBe(200);
  });

  test('is not there before its last byte', () => {
    for (const text of [sized, chunked])
      for (let end = 1; end < text.length; end++) expect(read(text.slice(0, end))).toBeUndefined();
  });

  test('may follow answers of the kind 1xx, and may be empty', () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n';
    expect(read(`${early}${sized}`)?.status).toBe(200);
    expect(read(head('content-length: 0'))?.bytes).toHaveLength(0);
    expect(read('HTTP/1.1 204 No Content\r\n\r\n')?.bytes).toHaveLength(0);
  });

  test.each([
    ['HTTP/1.1', '', true],
    ['HTTP/1.1', 'Connection: Close\r\n', false],
    ['HTTP/1.0', '', false],
  ])('%s %s says whether the connection may carry another call', (version, line, keep) => {
    expect(read(`${version} 200 OK\r\n${line}content-length: 0\r\n\r\n`)?.keep).toBe(keep);
  });
});

describe('what is no answer', () => {
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['no length', head('content-type: text/html')],
    ['a length that is no number', head('content-length: 0x10')],
    ['a negative length', head('content-length: -1')],
    ['two lengths', head('content-length: 5', 'content-length: 6')],
    ['a length of many digits', head(`content-length: ${'9'.repeat(30)}`)],
    ['a length above every answer', head('content-length: 99999999')],
    ['a length and chunks', head('content-length: 5', 'transfer-encoding: chunked')],
    ['another transfer coding', head('transfer-encoding: gzip, chunked')],
    ['two transfer codings', head('transfer-encoding: chunked', 'transfer-encoding: identity')],
    ['a header without a name', head(': 5')],
    ['a header without a colon', head('content-length 5')],
    ['a blank before the colon', head('content-length : 0')],
    ['a folded header', head('x-a: 1', ' content-length: 0')],
    ['a bare line feed', head('x-a: 1\ncontent-length: 0')],
    ['a zero byte', head('x-a: \u0000', 'content-length: 0')],
    ['headers without an end', head('x-a: '.padEnd(20_000, 'a')).trimEnd()],
    ['headers that are too large', head('x-a: '.padEnd(20_000, 'a'), 'content-length: 0')],
    ['bytes after the end', `${head('content-length: 2')}{}{}`],
    ['a second answer at once', `${sized}${sized}`],
    ['a chunk of an unreadable size', `${head('transfer-encoding: chunked')}zz\r\n`],
    ['a chunk of a negative size', `${head('transfer-encoding: chunked')}-1\r\n`],
    ['a chunk above every answer', `${head('transfer-encoding: chunked')}fffffff\r\n`],
    ['a chunk longer than it says', `${head('transfer-encoding: chunked')}2\r\n{}x\r\n0\r\n\r\n`],
    ['a chunk size without an end', `${head('transfer-encoding: chunked')}1;${'x'.repeat(20_000)}`],
  ])('%s', (_name, text) => {
    expect(() => read(text)).toThrow(/^no answer: /);
    expect(() =>
      read(
        text,
        Array.from(text, () => 1),
      ),
    ).toThrow(/^no answer: /);
  });

  test('any bytes are an answer, none yet, or an Error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.boolean(), (text, withHead) => {
        try {
          const answer = read(withHead ? `${head('transfer-encoding: chunked')}${text}` : text);
          if (answer) expect(answer.status).toBe(200);
        } catch (error) {
          expect((error as Error).message).toMatch(/^no answer: /);
        }
      }),
      { numRuns: 300 },
    );
  });
});
