/** From a failure to its log: the lines of one attempt, why there are none, and the lines of the file that threw. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { DAY_MS, MINUTE_MS } from '#core/time.ts';
import type { LogLine } from '#operator/gateway.ts';
import { readEventLog } from '#operator/health/event-log.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

const ID = 'evt_stripe.evt_1';
const root = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
writeFileSync(join(root, 'pay.ts'), 'one\ntwo\nthree\nfour\nthrow\nsix\nseven\neight\nnine\n');
afterAll(() => rmSync(root, { recursive: true }));

function world(agoMs = MINUTE_MS * 10) {
  const gateway = new ConsoleGateway('prod');
  const t = Date.now() - agoMs;
  const item = gateway.add({
    ...{ source: 'stripe', key: 'evt_1', type: 'charge.failed', status: 'dead_letter', receivedAt: t, attempts: 2 },
    more: {
      startedAt: t + 30_000,
      recentAttempts: [
        { n: 1, at: t + 100, ms: 40, cause: 'handler_error' },
        { n: 2, at: t + 30_000, ms: 20, cause: 'handler_error' },
      ],
    },
  });
  const line = (after: number, fields: object): LogLine => ({
    at: t + after,
    from: 'process',
    text: JSON.stringify(fields),
  });
  const attempt = (n: number, places: readonly string[]) => ({
    ...{ level: 'WARN', stage: 'attempt', event_id: ID, attempt: n, error: `tax ${n}`, stack: places },
  });
  gateway.logLines = [
    line(120, { level: 'INFO', stage: 'handler', event_id: ID, attempt: 1, message: 'looks up the rate' }),
    line(140, attempt(1, ['holdfast:core/x.ts:1:1', 'pay.ts:5:3'])),
    line(150, { level: 'WARN', stage: 'attempt', event_id: 'evt_stripe.other', attempt: 1 }),
    line(30_020, attempt(2, ['../secret.ts:1:1'])),
  ];
  return { gateway, operator: gateway.operator(), item, t };
}
const told = (lines: readonly { readonly fields: Readonly<Record<string, unknown>> }[]): unknown[] =>
  lines.map(({ fields }) => fields['message'] ?? fields['error']);

it('has the lines of one attempt, and of no other and no other event', async () => {
  const { operator, item, t } = world();
  expect(told((await readEventLog(operator, item, t + 100, root)).lines)).toEqual(['looks up the rate', 'tax 1']);
  expect(told((await readEventLog(operator, item, t + 30_000, root)).lines)).toEqual(['tax 2']);
  expect(told((await readEventLog(operator, item, undefined, root)).lines)).toHaveLength(3);
});

it('leaves out a line that names another attempt, however near', async () => {
  const { operator, item, t } = world();
  const near = { n: 2, at: t + 200, ms: 20, cause: 'handler_error' };
  const [first] = item.recentAttempts ?? [];
  const close = { ...item, startedAt: near.at, recentAttempts: [first ?? near, near] } as EventItem;
  expect(told((await readEventLog(operator, close, near.at, root)).lines)).toEqual([]);
});

it('shows the lines around the place that threw, of a file of the project and of no other', async () => {
  const { operator, item, t } = world();
  const { code } = await readEventLog(operator, item, t + 100, root);
  expect(code).toMatchObject({ file: 'pay.ts', line: 5 });
  expect(code?.lines.map(({ n, text }) => `${n} ${text}`)).toEqual([
    '2 two',
    '3 three',
    '4 four',
    '5 throw',
    '6 six',
    '7 seven',
    '8 eight',
  ]);
  expect((await readEventLog(operator, item, t + 30_000, root)).code).toBeUndefined();
});

it.each([
  ['fresh', 1_000, /^No line yet: CloudWatch shows a line some seconds after/],
  ['in the log’s time', 10 * MINUTE_MS, /^No function wrote a line about it around \d{4}-/],
  ['older than the log', 40 * DAY_MS, /^prod keeps its logs for 30 days \(logRetentionDays\), and this was 40 d ago/],
])('says why there is no line: %s', async (_name, agoMs, says) => {
  const { gateway, operator, item } = world(agoMs);
  gateway.logLines = [];
  expect(await readEventLog(operator, item, undefined, root)).toEqual({ lines: [], none: expect.stringMatching(says) });
});

it('says which right is missing, and which attempts there are', async () => {
  const { gateway, operator, item, t } = world();
  await expect(readEventLog(operator, item, t, root)).rejects.toThrow(/allowed: .*\(attempt 1\), .*\(attempt 2\)/s);
  gateway.logLines = undefined;
  const refused = readEventLog(operator, item, undefined, root);
  await expect(refused).rejects.toThrow(/You may not read the logs of prod: that needs logs:FilterLogEvents/);
});
