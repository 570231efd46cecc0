/** User code that misbehaves: a clear recorded outcome each time, its neighbours untouched, an end to every retry. */
import { describe, expect, it } from 'vitest';
import {
  done,
  type Handler,
  type HandlerContext,
  type HandlerRegistration,
  type Outcome,
  type WebhookEvent,
} from '#core/handler/handler-contract.ts';
import type { EffectWrite } from '#core/ports.ts';
import { EFFECTS, MemoryWorld, type WorldOptions } from '#test/kit/memory-world.ts';
import { complaintsAbout } from './oracle.ts';
import { handlerThat, type WorldHandlers } from './support/handlers.ts';
import { workOff } from './support/traces.ts';

const QUICK = { attempts: 3, baseSeconds: 1, capSeconds: 2 };
const putEffect = (id: string, more: Readonly<Record<string, unknown>> = {}): EffectWrite => ({
  kind: 'put',
  table: EFFECTS,
  item: { id, ...more },
});

/** One event whose handler misbehaves, and four good neighbours. */
async function worldOf(
  handle: Handler,
  options: WorldOptions = {},
  more: Partial<HandlerRegistration> = {},
): Promise<MemoryWorld> {
  const handlers: WorldHandlers = world => {
    const good = handlerThat(() => undefined)(world);
    const bad = { source: '*', type: 'bad', handle, ...more };
    return { find: (source, type) => (type === 'bad' ? bad : good.find(source, type)) };
  };
  const world = new MemoryWorld({ handlers, retry: QUICK, ...options });
  for (const id of ['evt_1', 'evt_2', 'bad', 'evt_3', 'evt_4']) await world.post({ id, type: id });
  expect(await workOff(world)).toBe(true);
  for (const n of [1, 2, 3, 4]) expect(world.item(`evt_${n}`)).toMatchObject({ status: 'completed', attempts: 1 });
  return world;
}

const outcome =
  (value: unknown): Handler =>
  async () =>
    value as Outcome;
const thrower =
  (value: unknown): Handler =>
  async () => {
    throw value;
  };

describe('a handler that answers no outcome', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'ok'],
    ['true', true],
    ['a list', []],
    ['an HTTP answer', { statusCode: 200 }],
    ['an unknown kind', { kind: 'finished' }],
    ['a rejection without a reason', { kind: 'rejected' }],
    ['a deferral to no time', { kind: 'deferred', untilMs: 'soon', reason: 'x' }],
    ['a deferral to never', { kind: 'deferred', untilMs: Number.NaN, reason: 'x' }],
    ['a retry in the past', { kind: 'retry', afterSeconds: -1, reason: 'x' }],
    ['an action that is no text', { kind: 'done', actionTaken: { a: 1 } }],
  ])('(%s) is a permanent error that says so', async (_name, value) => {
    const world = await worldOf(outcome(value));
    expect(world.item('bad')).toMatchObject({
      status: 'dead_letter',
      cause: 'bad_outcome',
      attempts: 1,
      dlqSent: true,
    });
    expect(world.item('bad')?.lastError).toContain('must answer done()');
  });

  it('(a trap) is a failed attempt', async () => {
    const trap = new Proxy(
      {},
      {
        get: (_target, name) => {
          if (name === 'then') return undefined;
          throw new Error('trap');
        },
      },
    );
    const world = await worldOf(outcome(trap));
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause: 'handler_error', attempts: 3 });
  });
});

describe('a handler that throws', () => {
  class Nameless extends Error {
    override get message(): string {
      throw new Error('no message either');
    }
  }
  it.each([
    ['an Error', new Error('down'), 'Error: down'],
    ['a text', 'down', 'threw a string'],
    ['null', null, 'threw null'],
    ['nothing', undefined, 'threw nothing'],
    ['a number', 42, 'threw a number'],
    ['an object', { error: true }, 'threw an object'],
    ['an error with control characters', new Error('a\u0000b\u001b[31mc\uffff'), 'a b [31mc'],
    ['an error that throws', new Nameless(), ''],
  ])('%s is tried again, then dead with what it threw', async (_name, value, text) => {
    const world = await worldOf(thrower(value));
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', attempts: 3, dlqSent: true });
    expect(world.item('bad')?.lastError).toContain(text);
    expect(world.item('bad')?.recentAttempts).toHaveLength(3);
  });

  it('before it returns a promise is treated the same', async () => {
    const world = await worldOf(() => {
      throw new Error('at once');
    });
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause: 'handler_error', attempts: 3 });
  });
});

describe('a handler and the clock', () => {
  it('that never resolves is timed out, told by its signal, and dead within its budget', async () => {
    const signals: AbortSignal[] = [];
    const world = await worldOf((_event, context) => {
      signals.push(context.signal);
      return new Promise(() => {});
    });
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause: 'timeout', attempts: 3 });
    expect(signals.map(it => it.aborted)).toEqual([true, true, true]);
  });

  it('that answers after its time has no say any more', async () => {
    const handle: Handler = (_event, context) => {
      context.transact([{ kind: 'update', table: EFFECTS, key: { id: 'bad' }, add: { times: 1 } }]);
      return new Promise(resolve => worlds[0]?.clock.after(60_000, () => resolve(done())));
    };
    const worlds: MemoryWorld[] = [];
    const handlers = handlerThat(({ world }, event, context) => {
      worlds[0] = world;
      return handle(event, context);
    });
    const world = new MemoryWorld({ handlers, retry: QUICK });
    await world.post({ id: 'bad' });
    expect(await workOff(world)).toBe(true);
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause: 'timeout' });
    expect(world.effects('bad')).toBe(0);
  });
});

it('a handler that changes everything it was given does not change what the next attempt gets', async () => {
  const seen: string[] = [];
  const vandal = (event: WebhookEvent, context: HandlerContext): Promise<Outcome> => {
    seen.push(
      JSON.stringify([
        Buffer.from(event.bytes).toString(),
        event.payload,
        event.headers,
        event.id,
        context.idempotencyKey,
      ]),
    );
    event.bytes.fill(0);
    for (const key of Object.keys(event.payload as object)) delete (event.payload as Record<string, unknown>)[key];
    for (const key of Object.keys(event.headers)) (event.headers as Record<string, string>)[key] = 'changed';
    Object.assign(event, { id: 'evt_other.other', source: 'other' });
    Object.assign(context, { idempotencyKey: 'changed', attempt: 99 });
    return seen.length < 3 ? Promise.reject(new Error('again')) : Promise.resolve(done());
  };
  const world = await worldOf(vandal, { retry: { ...QUICK, attempts: 5 } });
  expect(new Set(seen).size).toBe(1);
  expect(seen[0]).toContain('bad');
  expect(world.item('bad')).toMatchObject({ status: 'completed', attempts: 3 });
});

describe('a result that cannot be kept as it is', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  it.each([
    ['a cycle', cyclic, '"the result is not JSON"'],
    ['a bigint', 1n, '"the result is not JSON"'],
    ['a function', () => 1, 'null'],
    ['not a number', Number.NaN, 'null'],
    [
      'an object that refuses',
      {
        toJSON: () => {
          throw new Error('no');
        },
      },
      '"the result is not JSON"',
    ],
  ])('(%s) does not undo a finished event', async (_name, data, result) => {
    const world = await worldOf(outcome(done({ data })));
    expect(world.item('bad')).toMatchObject({ status: 'completed', attempts: 1, result });
  });
});

describe('a key that no table takes', () => {
  const KEYS: readonly (readonly [string, unknown])[] = [
    ['an empty text', { id: '' }],
    ['null', { id: null }],
    ['nothing', { id: undefined }],
    ['an object', { id: { a: 'secret' } }],
    ['no number', { id: Number.NaN }],
    ['over 2,048 bytes', { id: 'ä'.repeat(1_025) }],
    ['no attribute', {}],
    ['no object', null],
  ];
  const USES: readonly (readonly [string, (context: HandlerContext, key: never) => unknown])[] = [
    ['put', (context, key) => context.transact([{ kind: 'put', table: EFFECTS, item: key }])],
    ['read', (context, key) => context.read(EFFECTS, key)],
    ['update', (context, key) => context.transact([{ kind: 'update', table: EFFECTS, key, set: { a: 1 } }])],
    ['delete', (context, key) => context.transact([{ kind: 'delete', table: EFFECTS, key }])],
    [
      'check',
      (context, key) =>
        context.transact([{ kind: 'check', table: EFFECTS, key, condition: { attribute: 'id', op: 'exists' } }]),
    ],
  ];
  const CASES = USES.flatMap(([use, how]) => KEYS.map(([what, key]) => [use, what, how, key] as const));
  it.each(CASES)('%s with %s is a dead letter at once, as no retry can help', async (_use, _what, how, key) => {
    const world = await worldOf(async (_event, context) => {
      await how(context, key as never);
      return done();
    });
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause: 'permanent', attempts: 1 });
    expect(world.item('bad')?.lastError).toMatch(/the (key|item) of a row/);
    expect(world.item('bad')?.lastError).not.toContain('secret');
  });

  it.each([
    ['read', async (context: HandlerContext) => context.read(EFFECTS, { id: 5 })],
    [
      'update',
      async (context: HandlerContext) =>
        context.transact([{ kind: 'update', table: EFFECTS, key: { id: 5 }, set: {} }]),
    ],
    ['put', async (context: HandlerContext) => context.transact([{ kind: 'put', table: EFFECTS, item: { id: 5 } }])],
    [
      'a put of nothing',
      async (context: HandlerContext) =>
        context.transact([{ kind: 'put', table: EFFECTS, item: { id: 'a', key: undefined } }]),
    ],
  ] as const)('%s with what this table does not take, too', async (_use, how) => {
    const world = await worldOf(async (_event, context) => {
      await how(context);
      return done();
    });
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause: 'permanent', attempts: 1 });
    expect(world.item('bad')?.lastError).toContain('key');
  });

  it.each([true, false])(
    'a put beside other writes is a dead letter at once; without a claim: %s',
    async onlyTransacts => {
      const writes = [putEffect('a'), { kind: 'put', table: EFFECTS, item: { id: '', note: 'secret' } }] as const;
      const handle: Handler = async (_event, context) => {
        context.transact(writes);
        return done();
      };
      const world = await worldOf(handle, {}, { onlyTransacts });
      expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause: 'permanent', attempts: 1 });
      expect(world.item('bad')?.lastError).toMatch(/the key of a row: .*id/);
      expect(world.effects('a')).toBe(0);
    },
  );

  it.each([
    ['a text of 2,048 bytes', 'x'.repeat(2_048)],
    ['a blank', ' '],
  ])('%s is one', async (_what, id) => {
    const world = await worldOf(async (_event, context) => {
      await context.read(EFFECTS, { id });
      return done();
    });
    expect(world.item('bad')).toMatchObject({ status: 'completed' });
  });
});

describe('writes of a handler that cannot be applied', () => {
  const writing =
    (writes: readonly EffectWrite[]): Handler =>
    async (_event, context) => {
      context.transact(writes);
      return done();
    };
  const many = Array.from({ length: 100 }, (_, n) => putEffect(`row_${n}`));
  it.each([
    ['more than 99', many, 'handler_error', 'at most 99'],
    ['two of one item', [putEffect('a'), putEffect('a')], 'effects_not_applied', 'two writes of one item'],
    ['an item over 400 KB', [putEffect('a', { text: 'x'.repeat(420_000) })], 'effects_not_applied', 'Item size'],
    [
      'a table that is not there',
      [{ ...putEffect('a'), table: 'nowhere' } as EffectWrite],
      'effects_not_applied',
      'nowhere',
    ],
    ['a value that cannot be stored', [putEffect('a', { f: () => 1 })], 'effects_not_applied', 'function'],
  ])('(%s) leave the event dead with the cause, and nothing written', async (_name, writes, cause, text) => {
    const world = await worldOf(writing(writes));
    expect(world.item('bad')).toMatchObject({ status: 'dead_letter', cause, attempts: 3, dlqSent: true });
    expect(world.item('bad')?.lastError).toContain(text);
    expect(
      world.database
        .dump(EFFECTS)
        .map(it => it['id'])
        .sort(),
    ).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4']);
  });

  it('exactly 99 are applied with the completion', async () => {
    const world = await worldOf(writing(many.slice(1)));
    expect(world.item('bad')).toMatchObject({ status: 'completed', attempts: 1 });
    expect(world.database.dump(EFFECTS)).toHaveLength(99 + 4);
  });

  it('a refused condition is the declared outcome, else a permanent error', async () => {
    const guarded: EffectWrite = {
      kind: 'put',
      table: EFFECTS,
      item: { id: 'evt_1' },
      condition: { attribute: 'id', op: 'missing' },
    };
    for (const onRefused of [undefined, { kind: 'rejected', reason: 'taken' } as const]) {
      const handlers = handlerThat(({ id }, _event, context) => {
        if (id !== 'bad') return undefined;
        context.transact([guarded], onRefused === undefined ? {} : { onRefused });
        return Promise.resolve(done());
      });
      const world = new MemoryWorld({ handlers, retry: QUICK });
      await world.post({ id: 'evt_1' });
      await workOff(world);
      await world.post({ id: 'bad' });
      expect(await workOff(world)).toBe(true);
      expect(world.item('bad')).toMatchObject(
        onRefused ? { status: 'rejected', actionTaken: 'taken' } : { status: 'dead_letter', cause: 'effect_refused' },
      );
      expect(complaintsAbout(world)).toEqual([]);
    }
  });

  it.each([
    ['first', 'rejected: taken'],
    ['last', 'dead_letter: effect_refused'],
  ] as const)('the outcome of the %s call to transact() is for its own writes alone', async (declares, expected) => {
    const refused: EffectWrite = { ...putEffect('new'), condition: { attribute: 'id', op: 'exists' } };
    const onRefused = { kind: 'rejected', reason: 'taken' } as const;
    const world = await worldOf(async (_event, context) => {
      context.transact([refused], declares === 'first' ? { onRefused } : {});
      context.transact([putEffect('other')], declares === 'last' ? { onRefused } : {});
      return done();
    });
    const { status, actionTaken, cause } = world.item('bad') ?? {};
    expect(`${status}: ${actionTaken ?? cause}`).toBe(expected);
    expect(world.database.dump(EFFECTS)).toHaveLength(4);
  });
});
