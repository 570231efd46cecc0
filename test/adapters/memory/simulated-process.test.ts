import { describe, expect, test } from 'vitest';
import { SeededRandom } from '#adapters/memory/seeded-random.ts';
import { settle, VirtualClock } from '#adapters/memory/virtual-clock.ts';
import { DependencyError } from '#core/errors.ts';
import { MINUTE_MS } from '#core/time.ts';
import { type Fault, faultsAtCalls, outages, recordCalls } from '#test/kit/memory/faults.ts';
import { type FunctionHandler, MemoryFunction } from '#test/kit/memory/memory-function.ts';
import { failedOf, MemoryMapping } from '#test/kit/memory/queue/memory-mapping.ts';
import { MemoryQueue } from '#test/kit/memory/queue/memory-queue.ts';
import { SimulatedProcess } from '#test/kit/memory/simulated-process.ts';

function makeCounter() {
  const counter = {
    value: 0,
    async add(by: number): Promise<number> {
      counter.value += by;
      return counter.value;
    },
  };
  return counter;
}

function withFaultAt(n: number, fault: Fault) {
  const clock = new VirtualClock();
  const process = new SimulatedProcess({ clock, plan: faultsAtCalls(new Map([[n, fault]])) });
  const counter = makeCounter();
  return { clock, process, counter, port: process.wrap('counter', 'dynamodb', counter) };
}

describe('a fault at a call', () => {
  test.each([
    ['crash_before', 0, 'dead'],
    ['crash_after', 1, 'dead'],
    ['lost_reply_error', 1, 'unknown'],
    ['lost_reply_retried', 2, 2],
    ['unanswered', 1, 'unknown'],
    ['error', 0, 'unknown'],
    ['throttled', 0, 'not_applied'],
    ['hang', 0, 'unknown'],
    ['stall', 1, 1],
  ] as const)('%s leaves the counter at %i and the caller with %s', async (fault, value, seen) => {
    const { clock, process, counter, port } = withFaultAt(1, fault);
    const outcome = await clock.complete(process.run(() => port.add(1)));
    expect(counter.value).toBe(value);
    if (outcome.kind === 'returned') expect(outcome.value).toBe(seen);
    else if (outcome.kind === 'dead') expect(seen).toBe('dead');
    else expect((outcome.error as DependencyError).outcome).toBe(seen);
  });

  test('a hang costs the time the client waits, and no more', async () => {
    const { clock, process, port } = withFaultAt(1, 'hang');
    const start = clock.now();
    await clock.complete(process.run(() => port.add(1)));
    expect(clock.now() - start).toBe(1_700);
  });

  test('what is applied late is applied after the caller has given up', async () => {
    const { clock, process, counter, port } = withFaultAt(1, 'applied_late');
    expect((await clock.complete(process.run(() => port.add(1)))).kind).toBe('threw');
    await clock.advanceBy(1);
    expect(counter.value).toBe(1);
  });

  test('a dead process can catch nothing, call nothing and answer nothing', async () => {
    const { process, counter, port } = withFaultAt(2, 'crash_before');
    let caught = false;
    let finished = false;
    const outcome = await process.run(async () => {
      await port.add(1);
      try {
        await port.add(1);
      } catch {
        caught = true;
      } finally {
        finished = true;
      }
      return 200;
    });
    await settle();
    expect(outcome).toEqual({ kind: 'dead' });
    expect({ caught, finished, value: counter.value }).toEqual({ caught: false, finished: false, value: 1 });
    void port.add(1);
    await settle();
    expect(counter.value).toBe(1);
  });

  test('every call point has a name, in order', async () => {
    const clock = new VirtualClock();
    const names: string[] = [];
    const process = new SimulatedProcess({ clock, plan: recordCalls(names) });
    await process.wrap('store', 'dynamodb', makeCounter()).add(1);
    await process.wrap('queue', 'sqs', makeCounter()).add(1);
    expect(names).toEqual(['store.add', 'queue.add']);
  });

  test('an outage hits one dependency for its time', async () => {
    const clock = new VirtualClock();
    const window = {
      dependency: 'sqs' as const,
      from: clock.now() + 10,
      to: clock.now() + 20,
      fault: 'error' as const,
    };
    const process = new SimulatedProcess({ clock, plan: outages([window], new SeededRandom(1)) });
    const table = process.wrap('table', 'dynamodb', makeCounter());
    const queue = process.wrap('queue', 'sqs', makeCounter());
    await queue.add(1);
    await clock.advanceBy(10);
    await expect(queue.add(1)).rejects.toThrow(DependencyError);
    await table.add(1);
    await clock.advanceBy(10);
    await queue.add(1);
  });

  test('a port that never throws keeps that promise', async () => {
    const clock = new VirtualClock();
    const process = new SimulatedProcess({ clock, plan: () => 'error' });
    const box = process.wrap('box', 'sqs', makeCounter(), { neverThrows: ['add'] });
    await expect(box.add(1)).resolves.toBeUndefined();
  });

  test('a time limit passes in virtual time, and its late work is dropped', async () => {
    const clock = new VirtualClock();
    const process = new SimulatedProcess({ clock });
    let aborted = false;
    const slow = process.timer.limit(50, async signal => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      await clock.sleep(100);
      throw new Error('too late to matter');
    });
    expect(await clock.complete(slow)).toEqual({ kind: 'timed_out' });
    await clock.advanceBy(100);
    expect(aborted).toBe(true);
    expect(await process.timer.limit(50, async () => 1)).toEqual({ kind: 'finished', value: 1 });
    expect(clock.nextAt()).toBeUndefined();
  });
});

describe('a call ends with the limit of its work', () => {
  test('under way, it throws at the limit, and what it became is unknown', async () => {
    const { clock, process, counter, port } = withFaultAt(1, 'unanswered');
    const thrown: unknown[] = [];
    const work = () => port.add(1).catch((error: unknown) => thrown.push(error));
    expect(await clock.complete(process.timer.limit(50, work))).toEqual({ kind: 'timed_out' });
    await settle();
    expect(counter.value).toBe(1);
    expect(thrown).toMatchObject([{ name: 'DependencyError', outcome: 'unknown' }]);
  });

  test('begun later, it is not made', async () => {
    const { clock, process, counter, port } = withFaultAt(9, 'hang');
    let late: Promise<number> | undefined;
    const work = async () => {
      await clock.sleep(100);
      late = port.add(1);
      late.catch(() => undefined);
    };
    expect(await clock.complete(process.timer.limit(50, work))).toEqual({ kind: 'timed_out' });
    await clock.advanceBy(100);
    await expect(late).rejects.toMatchObject({ outcome: 'unknown' });
    expect({ value: counter.value, calls: process.calls }).toEqual({ value: 0, calls: 0 });
    expect(await port.add(1)).toBe(1);
  });
});

describe('a function in memory', () => {
  function build(handler: (process: SimulatedProcess, clock: VirtualClock) => FunctionHandler, timeoutMs = 30_000) {
    const clock = new VirtualClock();
    const lambda = new MemoryFunction({
      clock,
      random: new SeededRandom(3),
      timeoutMs,
      reclaimRate: 0,
      initialise: process => handler(process, clock),
    });
    return { clock, lambda };
  }

  test('freezes work the handler left behind, and goes on with it in the next invocation', async () => {
    const counter = makeCounter();
    const { clock, lambda } = build((process, clock) => {
      const port = process.wrap('counter', 'sqs', counter);
      return async () => {
        void clock.sleep(10).then(() => port.add(1));
        return 'ok';
      };
    });
    expect(await lambda.invoke({})).toEqual({ kind: 'returned', payload: '"ok"' });
    await clock.advanceBy(60_000);
    expect(counter.value).toBe(0);
    await lambda.invoke({});
    await settle();
    expect(counter.value).toBe(1);
  });

  test('kills the process at the timeout', async () => {
    const counter = makeCounter();
    const { clock, lambda } = build((process, clock) => {
      const port = process.wrap('counter', 'sqs', counter);
      return async () => {
        await clock.sleep(40_000);
        await port.add(1);
      };
    });
    expect(await clock.complete(lambda.invoke({}))).toEqual({ kind: 'timed_out' });
    await clock.advanceBy(60_000);
    expect(counter.value).toBe(0);
  });

  test('a process that stands still through its timeout goes on as a zombie', async () => {
    const counter = makeCounter();
    const clock = new VirtualClock();
    const lambda = new MemoryFunction({
      clock,
      random: new SeededRandom(3),
      timeoutMs: 30_000,
      plan: faultsAtCalls(new Map([[1, 'stall']])),
      initialise: process => {
        const port = process.wrap('counter', 'dynamodb', counter);
        return async () => port.add(1);
      },
    });
    expect(await clock.complete(lambda.invoke({}))).toEqual({ kind: 'timed_out' });
    expect(counter.value).toBe(0);
    await clock.advanceBy(15 * MINUTE_MS);
    expect(counter.value).toBe(1);
  });

  test('a broken deploy fails at init, and no concurrency is a throttle', async () => {
    const { lambda } = build(() => async () => 'ok');
    lambda.brokenDeploy = true;
    expect(await lambda.invoke({})).toMatchObject({ kind: 'failed' });
    lambda.brokenDeploy = false;
    lambda.reservedConcurrency = 0;
    expect(await lambda.invoke({})).toEqual({ kind: 'throttled' });
  });
});

describe('which records of a batch failed', () => {
  const batch = [{ messageId: 'a' }, { messageId: 'b' }];
  const answered = (payload: string | undefined, reporting = true) => [
    ...failedOf({ kind: 'returned', payload }, batch, reporting),
  ];

  test.each([
    ['an empty list', '{"batchItemFailures":[]}', []],
    ['a null list', '{"batchItemFailures":null}', []],
    ['an empty answer', '{}', []],
    ['a null answer', 'null', []],
    ['no answer', undefined, []],
    ['one of the batch', '{"batchItemFailures":[{"itemIdentifier":"b"}]}', ['b']],
    ['an empty id', '{"batchItemFailures":[{"itemIdentifier":""}]}', ['a', 'b']],
    ['a null id', '{"batchItemFailures":[{"itemIdentifier":null}]}', ['a', 'b']],
    [
      'an unknown id beside a good one',
      '{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"z"}]}',
      ['a', 'b'],
    ],
    ['a wrong key', '{"batchItemFailures":[{"messageId":"b"}]}', ['a', 'b']],
    ['a list that is none', '{"batchItemFailures":"b"}', ['a', 'b']],
    ['broken JSON', '{"batchItemFailures":[', ['a', 'b']],
  ])('%s', (_name, payload, failed) => {
    expect(answered(payload)).toEqual(failed);
  });

  test('everything when the function failed, timed out, crashed or was throttled', () => {
    for (const kind of ['timed_out', 'crashed', 'throttled'] as const) {
      expect(failedOf({ kind }, batch, true).size).toBe(2);
    }
    expect(failedOf({ kind: 'failed', error: new Error('x') }, batch, true).size).toBe(2);
  });

  test('nothing when reporting is off, whatever the function says', () => {
    expect(answered('{"batchItemFailures":[{"itemIdentifier":"b"}]}', false)).toEqual([]);
  });
});

describe('a mapping in memory', () => {
  test('deletes what succeeded, brings back what failed, and counts a throttle as a receive', async () => {
    const clock = new VirtualClock();
    const random = new SeededRandom(5);
    const queue = new MemoryQueue({ clock, random, duplicateRate: 0, visibilitySeconds: 60 });
    const seen: string[] = [];
    let mode: 'throttled' | 'work' = 'throttled';
    const mapping = new MemoryMapping({
      clock,
      random,
      queue,
      deleteFailureRate: 0,
      invoke: async ({ Records }) => {
        if (mode === 'throttled') return { kind: 'throttled' };
        const bad = Records.filter(record => record.body === 'bad').map(record => ({
          itemIdentifier: record.messageId,
        }));
        seen.push(...Records.map(record => `${record.body}:${record.attributes['ApproximateReceiveCount']}`));
        return { kind: 'returned', payload: JSON.stringify({ batchItemFailures: bad }) };
      },
    });
    queue.send('good');
    queue.send('bad');
    mapping.enable();
    await clock.advanceBy(30_000);
    expect(queue.numbers()).toEqual({ visible: 0, hidden: 2, delayed: 0 });
    mode = 'work';
    await clock.advanceBy(40_000);
    expect(seen.toSorted()).toEqual(['bad:2', 'good:2']);
    expect(queue.dump().map(message => message.body)).toEqual(['bad']);
    await clock.advanceBy(60_000);
    expect(seen).toContain('bad:3');
    mapping.disable();
  });
});
