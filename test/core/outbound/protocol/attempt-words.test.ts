import { expect, it } from 'vitest';
import { classifyAnswer } from '#core/outbound/drain/classify-answer.ts';
import { FAULTS } from '#core/outbound/ports.ts';
import { wordsOf } from '#core/outbound/protocol/attempt-words.ts';
import { WRONG_ADDRESS } from '#core/words.ts';

it('says whose fault an attempt was', () => {
  const words = (code: number, othersOk = 0) => wordsOf({ code, class: 'server_error', fault: 'ambiguous', othersOk });
  expect(words(500, 212)).toBe('500 for this message only: the endpoint answered 212 others since');
  expect(words(500, 1)).toBe('500 for this message only: the endpoint answered 1 other since');
  expect(words(500)).toBe('500: the message or the endpoint is at fault; no other message was answered since');
  for (const code of WRONG_ADDRESS) {
    expect(words(code)).toBe(
      `${code}: most likely the address is wrong, less likely the message; no other message was answered since`,
    );
    expect(words(code, 3)).toMatch(/for this message only/);
  }
  expect(wordsOf({ class: 'closed_early', fault: 'endpoint' })).toBe(
    'no answer (closed early): the endpoint is at fault, whatever the message',
  );
  expect(wordsOf({ class: 'connect', fault: 'endpoint', spared: 'egress' })).toBe(
    'no answer (connect): most likely our own way out fails, so it does not count',
  );
  expect(wordsOf({ class: 'ok', code: 200 })).toBeUndefined();
});

it('has words for every status and every fault', () => {
  const timings = { total: 1 };
  for (let status = 100; status < 600; status++) {
    const answer = { kind: 'answered', status, headers: {}, body: new Uint8Array(), bytes: 0 } as const;
    const { class: of, fault } = classifyAnswer({ ...answer, truncated: false, timings }, 0);
    expect(wordsOf({ code: status, class: of, fault })).toMatch(new RegExp(`^${status}: `));
  }
  for (const fault of FAULTS) expect(wordsOf({ class: 'timeout', fault })).toMatch(/^no answer/);
});
