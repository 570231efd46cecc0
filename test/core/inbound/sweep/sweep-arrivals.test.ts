/** The cursor of arrivals never passes an event that is not watched, and passes everything else: over pages and hours. */
import { expect, it } from 'vitest';
import { type EventKey, type SourceId, toEventPk, toSourceId } from '#core/glossary.ts';
import { sweepArrivals } from '#core/inbound/sweep/sweep-arrivals.ts';
import { HOUR_MS, MINUTE_MS, toHour, toStamp } from '#core/time.ts';

const START = Date.parse('2026-01-05T00:00:00Z');
const [pay, shop] = [toSourceId('pay'), toSourceId('shop')];

/** Events every minute of three hours for `pay`, none for `shop`; pages of so many rows, whatever is asked for. */
function world(pageRows: number, isCovered: (n: number) => boolean = () => true) {
  const events = Array.from({ length: 180 }, (_, n) => {
    const receivedAt = START + n * MINUTE_MS + 1;
    const key = String(n).padStart(4, '0');
    return { pk: toEventPk(pay, key as EventKey), receivedAt, timelineAt: `${toStamp(receivedAt)}#${key}`, n };
  });
  const saved: Record<string, string> = {};
  const covered: number[] = [];
  const ofHour = (hour: string) =>
    hour.startsWith('pay#') ? events.filter(it => `pay#${toHour(it.receivedAt)}` === hour) : [];
  const store = {
    timeline: async (hour: string, { from = '', to = '~' }: { from?: string; to?: string }) => {
      const found = ofHour(hour).filter(it => it.timelineAt >= from && it.timelineAt <= to);
      // As DynamoDB does: a page that is exactly full has a cursor, although nothing may come behind it.
      return { items: found.slice(0, pageRows), ...(found.length >= pageRows && { cursor: 'more' }) };
    },
    getMany: async (pks: readonly string[]) => events.filter(({ pk }) => pks.includes(pk)),
  };
  const control = {
    read: async (name: string) => (saved[name] === undefined ? undefined : { value: saved[name], version: 1 }),
    write: async (name: string, value: string) => {
      saved[name] = value;
      return true;
    },
  };
  const sweep = (sources: readonly SourceId[] = [pay, shop]) =>
    sweepArrivals(
      {
        ...{
          sources,
          upTo: START + 3 * HOUR_MS,
          until: 1,
          now: () => 0,
          mayHave: async () => true,
          guard: work => work(),
        },
        cover: async items => {
          const some = items as unknown as readonly { readonly n: number }[];
          covered.push(...some.map(({ n }) => n));
          return some.every(({ n }) => isCovered(n));
        },
      },
      store as never,
      control as never,
    );
  return { sweep, covered, saved, events };
}

it.each([7, 59, 60, 61, 180, 1_000])(
  'covers each event once in pages of %i, and then stands at the end',
  async pageRows => {
    const { sweep, covered } = world(pageRows);
    expect(await sweep()).toEqual({ pay: START + 3 * HOUR_MS, shop: START + 3 * HOUR_MS });
    expect(covered).toEqual(Array.from({ length: 180 }, (_, n) => n));
  },
);

it.each([7, 1_000])(
  'stays before what could not be watched, in pages of %i, and goes on with the rest',
  async pageRows => {
    const { sweep, covered, saved, events } = world(pageRows, n => n !== 100);
    const { [pay]: reached = 0, [shop]: other } = await sweep();
    expect(reached).toBeLessThan(events[100]?.receivedAt ?? 0);
    // Everything before the page that it is on was passed; a full hour at most lies behind.
    expect(reached).toBeGreaterThanOrEqual(START + HOUR_MS);
    expect(other).toBe(START + 3 * HOUR_MS);
    expect(covered).toHaveLength(180);
    for (const value of Object.values(saved)) expect(JSON.parse(value).pay).toBeLessThan(events[100]?.receivedAt ?? 0);
    // The next run comes to it again.
    const before = covered.length;
    await sweep();
    expect(covered.slice(before)).toContain(100);
  },
);
