/** Through the processor: what is stored, what is told, what it costs. */
import { describe, expect, it } from 'vitest';
import { jsonSchema } from '#adapters/json-schema/json-schema.ts';
import { DependencyError } from '#core/errors.ts';
import { given } from '#core/given.ts';
import { toSourceId } from '#core/glossary.ts';
import { defineHandlers, done, type PayloadSchema } from '#core/handler/handler-contract.ts';
import { pathsOf } from '#core/inbound/drift/shape.ts';
import { readShapes, ShapeWatch } from '#core/inbound/drift/shape-watch.ts';
import { DAY_MS } from '#core/time.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, MemoryWorld } from '#test/kit/memory-world.ts';

const SOURCE = toSourceId('default');

function makeWatch(world: MemoryWorld, failing: { now?: boolean } = {}) {
  const store = new MemoryControlStore(world.database, EVENTS);
  const calls = { reads: 0, writes: 0 };
  const control = {
    read: async (name: string) => {
      calls.reads += 1;
      if (failing.now) throw new DependencyError('dynamodb', 'unreachable');
      return store.read(name);
    },
    write: async (name: string, value: string, version: number) => {
      calls.writes += 1;
      return store.write(name, value, version);
    },
  };
  const watch = new ShapeWatch({ control, clock: world.clock, telemetry: world.telemetry });
  const see = async (payload: unknown, type = 'invoice.paid', id = 'evt_1') => {
    watch.observe(SOURCE, type, `evt_default.${id}` as never, payload);
    await watch.flush();
  };
  const notices = () => world.telemetry.lines.filter(({ line }) => line['stage'] === 'schema').map(({ line }) => line);
  return { watch, see, calls, notices, failing };
}

describe('a watch over shapes', () => {
  it('learns for a day without a word, then tells each change once, with its difference', async () => {
    const world = new MemoryWorld();
    const { see, notices } = makeWatch(world);
    await see({ id: 'a', amount: 1 });
    await see({ id: 'a', amount: 1, coupon: 'x' });
    expect(notices()).toEqual([]);
    await world.clock.advanceBy(DAY_MS);
    await see({ id: 'a', amount: 1 });
    expect(notices()).toEqual([]);
    for (const id of ['evt_2', 'evt_3']) await see({ id: 'a', amount: '1', tax: 2 }, 'invoice.paid', id);
    expect(notices()).toEqual([
      {
        stage: 'schema',
        source: 'default',
        event_type: 'invoice.paid',
        event_id: 'evt_default.evt_2',
        added: ['tax'],
        removed: [],
        changed: ['amount: number, now also string'],
        paths: 2,
      },
    ]);
    expect(world.telemetry.total('SchemaChanged', { source: 'default' })).toBe(1);
  });

  it('keeps the last five changes with the shape, newest first, and shows the paths to a person', async () => {
    const world = new MemoryWorld();
    const { see, calls } = makeWatch(world);
    await see({ id: 'a', amount: 1 });
    await world.clock.advanceBy(DAY_MS);
    for (let n = 0; n < 7; n++) {
      await see({ id: 'a', amount: 1, [`field_${'abcdefg'[n]}`]: 'x' });
      await world.clock.advanceBy(1_000);
    }
    const [known] = await readShapes(new MemoryControlStore(world.database, EVENTS), SOURCE);
    expect(known?.eventType).toBe('invoice.paid');
    expect(known?.stored?.changes?.map(({ added }) => added[0])).toEqual([...'gfedc'].map(it => `field_${it}`));
    expect(known?.stored?.changes?.[0]).toMatchObject({ at: world.clock.now() - 1_000, paths: 1, removed: [] });
    expect(known?.stored && pathsOf(known.stored.shape).slice(0, 3)).toEqual([
      ['id', 'string', false],
      ['amount', 'number', false],
      ['field_a', 'string', true],
    ]);
    // One write a change, as before.
    expect(calls.writes).toBe(2 + 7);
  });

  it('costs no call for what is known, one read for what another function learned', async () => {
    const world = new MemoryWorld();
    const first = makeWatch(world);
    for (let n = 0; n < 50; n++) await first.see({ id: `a${n}`, amount: n });
    // The shape and the list of types: looked for and written once.
    expect(first.calls).toEqual({ reads: 2, writes: 2 });
    const second = makeWatch(world);
    for (let n = 0; n < 50; n++) await second.see({ id: `b${n}`, amount: n });
    expect(second.calls).toEqual({ reads: 1, writes: 0 });
  });

  it('tells a change once, however many functions see it at the same time', async () => {
    const world = new MemoryWorld();
    const watches = Array.from({ length: 5 }, () => makeWatch(world));
    for (const { see } of watches) await see({ id: 'a' });
    await world.clock.advanceBy(DAY_MS);
    await Promise.all(watches.map(({ see }) => see({ id: 'a', tax: 1 })));
    expect(world.telemetry.total('SchemaChanged')).toBe(1);
  });

  it('keeps at most two hundred types of a source', async () => {
    const world = new MemoryWorld();
    const { see, notices } = makeWatch(world);
    for (let n = 0; n < 205; n++) await see({ id: 'a' }, `type.${n}`);
    const shapes = world.database.dump(EVENTS).filter(it => String(it['pk']).startsWith('_control#shape#'));
    expect(shapes).toHaveLength(200);
    expect(notices()).toHaveLength(5);
    expect(notices()[0]).toMatchObject({ cause: 'too_many_types' });
  });

  it('never fails an event: a store that is down is counted, and the next event is looked at again', async () => {
    const world = new MemoryWorld();
    const { see, failing, calls } = makeWatch(world, { now: true });
    await see({ id: 'a' });
    expect(world.telemetry.total('DependencyError', { dependency: 'dynamodb' })).toBe(1);
    failing.now = false;
    await see({ id: 'a' });
    expect(calls.writes).toBe(2);
  });

  it('gives up on a payload with more paths than are kept, and says so once', async () => {
    const world = new MemoryWorld();
    const { see, notices, calls } = makeWatch(world);
    const letters = 'abcdefghijklmnopqrst';
    const big = Object.fromEntries(
      [...letters].map(a => [
        a,
        Object.fromEntries([...letters].map(b => [b, Object.fromEntries([...letters].map(c => [c, 1]))])),
      ]),
    );
    await see({ z: 1 });
    for (let n = 0; n < 5; n++) await see(big);
    expect(notices()).toMatchObject([{ cause: 'too_many_paths' }]);
    expect(calls.reads).toBe(3);
  });
});

describe('through the processor', () => {
  async function run(payloads: readonly unknown[], schema?: PayloadSchema, source = {}) {
    const handled: unknown[] = [];
    const world: MemoryWorld = new MemoryWorld({
      source,
      withShapes: true,
      handlers: () =>
        defineHandlers([
          {
            source: '*',
            type: '*',
            ...given({ schema }),
            handle: async event => {
              handled.push(event.payload);
              // Whatever a handler does to its payload is not a change of the provider's.
              delete (event.payload as Record<string, unknown>)['data'];
              return done();
            },
          },
        ]),
    });
    for (const [n, data] of payloads.entries()) {
      world.start();
      await world.post({ id: `evt_${n}`, data });
      await world.clock.advanceBy(5_000);
      world.stop();
      await world.clock.advanceBy(DAY_MS);
    }
    const notices = world.telemetry.lines.filter(({ line }) => line['stage'] === 'schema').map(({ line }) => line);
    return { world, handled, notices };
  }

  it('a changed event is handled like any other, and told', async () => {
    const { world, notices } = await run([{ a: 1 }, { a: 2 }, { a: 'x' }, { a: 3 }]);
    expect(world.items().map(it => it.status)).toEqual(Array(4).fill('completed'));
    expect(notices).toMatchObject([{ event_id: 'evt_default.evt_2', changed: ['data.a: number, now also string'] }]);
  });

  it('a source may be left alone', async () => {
    expect((await run([{ a: 1 }, { a: 'x' }], undefined, { schemaDrift: 'off' })).notices).toEqual([]);
  });

  const invoice = {
    type: 'object',
    required: ['data'],
    properties: {
      data: { type: 'object', required: ['a'], properties: { a: { type: 'integer' }, kind: { enum: ['x'] } } },
    },
  };
  it.each([
    ['notice', 'completed', {}, 2],
    ['reject', 'rejected', { actionTaken: 'schema_mismatch: /data/a type, /data/kind enum' }, 1],
    [
      'dead_letter',
      'dead_letter',
      { cause: 'schema_mismatch', lastError: 'schema_mismatch: /data/a type, /data/kind enum' },
      1,
    ],
  ] as const)(
    'a broken schema with policy %s makes it %s, with the cause and no value of it',
    async (policy, status, record, runs) => {
      const { world, handled } = await run(
        [
          { a: 1, kind: 'x' },
          { a: 'secret', kind: 'secret' },
        ],
        jsonSchema(invoice, policy),
      );
      expect(world.item('evt_0')?.status).toBe('completed');
      expect(world.item('evt_1')).toMatchObject({ status, ...record });
      expect(handled).toHaveLength(runs);
      expect(world.telemetry.total('SchemaMismatch', { source: 'default' })).toBe(1);
      expect(JSON.stringify([world.item('evt_1'), world.telemetry.lines])).not.toContain('secret"');
    },
  );

  it('checks a bigint as a number, and refuses a schema that leads nowhere when it is made', () => {
    const schema = jsonSchema({ properties: { id: { type: 'integer', minimum: 1 } } }, 'reject');
    expect(schema.problemsOf({ id: 9007199254740993n })).toEqual([]);
    expect(schema.problemsOf({ id: -9007199254740993n })).toEqual(['/id minimum']);
    expect(() => jsonSchema({ $ref: '#/$defs/none' }, 'reject')).toThrow();
    const broken = jsonSchema({ properties: { a: { $ref: '#/$defs/none' } } }, 'reject');
    expect(broken.problemsOf({ a: 1 })).toEqual(['/ cannot be checked: the schema itself is broken']);
    expect(broken.problemsOf(undefined)).toEqual(['/ not JSON']);
  });
});
