import { expect, it } from 'vitest';
import { type GrepRequest, type GrepStep, grepEvents } from '#operator/events/grep-events.ts';
import { readMeant } from '#operator/events/list-events.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';

function world(count: number) {
  const gateway = new ConsoleGateway();
  const now = Date.now();
  for (let n = 0; n < count; n++) {
    const body = Buffer.from(
      JSON.stringify({ data: { order: `o-${n}`, note: n % 100 === 7 ? 'Grüße an Ada' : 'x'.repeat(300) } }),
    );
    gateway.add({
      source: 'stripe',
      key: `k${n}`,
      type: 'x',
      status: 'completed',
      receivedAt: now - 1_000 - n * 1_000,
      body,
    });
  }
  const operator = gateway.operator();
  const read = readMeant(operator, { since: '24h' });
  if (read.kind !== 'filter') throw new Error('no filter');
  return { operator, filter: read.filter };
}

async function all(operator: Parameters<typeof grepEvents>[0], request: GrepRequest): Promise<GrepStep[]> {
  const steps: GrepStep[] = [];
  for await (const step of grepEvents(operator, request)) steps.push(step);
  return steps;
}

it('finds every body that has the text, reads each once and counts what it cost', async () => {
  const { operator, filter } = world(1_000);
  const steps = await all(operator, { text: 'Grüße', filter });
  const hits = steps.filter(it => it.kind === 'hit');
  expect(hits.length).toBe(10);
  expect(hits[0]?.excerpt).toContain('Grüße an Ada');
  const end = steps.at(-1);
  expect(end).toMatchObject({ kind: 'end', tally: { read: 1_000, hits: 10, cursor: undefined } });
  // One unit for the record, one for a body under 4 KB, and the index.
  expect(end?.kind === 'end' && end.tally.dollars).toBeCloseTo(1_000 * 2.025 * 0.125e-6, 9);
});

it('compares a value at a path', async () => {
  const { operator, filter } = world(300);
  const hits = (await all(operator, { text: 'o-250', path: 'data.order', filter })).filter(it => it.kind === 'hit');
  expect(hits.map(it => it.excerpt)).toEqual(['data.order: o-250']);
  expect((await all(operator, { text: 'o-250', path: 'data.note', filter })).filter(it => it.kind === 'hit')).toEqual(
    [],
  );
  expect(
    (await all(operator, { text: 'x', path: 'data.constructor.name', filter })).filter(it => it.kind === 'hit'),
  ).toEqual([]);
});

it('stops when it is told to, and goes on from there without a gap', async () => {
  const { operator, filter } = world(1_000);
  const found: string[] = [];
  let cursor: string | undefined;
  let runs = 0;
  do {
    runs += 1;
    const stop = new AbortController();
    let next: string | undefined;
    for await (const step of grepEvents(operator, { text: 'Grüße', filter, cursor, signal: stop.signal })) {
      if (step.kind === 'hit') found.push(step.item.pk);
      else next = step.tally.cursor;
      if (step.kind === 'progress' && step.tally.read >= 200) stop.abort();
    }
    cursor = next;
  } while (cursor !== undefined && runs < 20);
  expect(runs).toBeGreaterThan(3);
  expect(found.length).toBe(10);
  expect(new Set(found).size).toBe(10);
});
