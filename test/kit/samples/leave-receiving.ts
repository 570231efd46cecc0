/**
 * Prints what an older version leaves in its tables, an event in each state, as test/fixtures/stored/states/ holds it. Put
 * into the tree of that version, it runs there:
 * `git archive <commit> | tar x -C <tree> && cp test/kit/samples/leave-receiving.ts <tree>/test`, its node_modules linked, then
 * `node test/leave-receiving.ts '<version>' '#test/kit/memory-world.ts' > receiving-<version>.json`.
 */
import { marshall } from '@aws-sdk/util-dynamodb';

type Contract = typeof import('#core/handler/handler-contract.ts');
const [version, kit = '#test/kit/memory-world.ts', contract = '#core/handler/handler-contract.ts'] =
  process.argv.slice(2);
const { MemoryWorld } = (await import(kit)) as typeof import('#test/kit/memory-world.ts');
const { defer, defineHandlers, done, PermanentError, reject, stale } = (await import(contract)) as Contract;

const minutes = (many: number): number => many * 60_000;
const world = new MemoryWorld({
  sources: ['default', 'held'],
  source: { unhandled: 'ignore' },
  handlers: () => {
    const on = (type: string, handle: () => ReturnType<typeof done> | Promise<never>) => ({
      source: '*',
      type,
      handle: async () => handle(),
    });
    return defineHandlers([
      on('test.completed', () => done({ actionTaken: 'counted', data: { total: 3 } })),
      on('test.stale', () => stale('older than what is there')),
      on('test.rejected', () => reject('not one of ours')),
      on('test.deferred', () => defer(world.clock.now() + minutes(120), 'waits for another')),
      on('test.failed', () => Promise.reject(new Error('the service is down'))),
      on('test.dead', () => Promise.reject(new PermanentError('a field is missing', { label: 'schema' }))),
      on('test.processing', () => new Promise<never>(() => {})),
    ]);
  },
});
const { clock } = world;
const post = async (id: string, type: string, source = 'default'): Promise<void> => {
  const answer = await world.post({ id, type, source });
  if (answer?.status !== 200) throw new Error(`${id} was answered ${answer?.status}`);
};
const act = async (promise: Promise<unknown>): Promise<void> => {
  if ((await clock.complete(promise)) === undefined) throw new Error('a command did not end');
};
world.start();
// The sweeper's cursors are behind it.
await clock.advanceBy(minutes(10));
await act(world.pause('held', true));
await post('parked', 'test.completed', 'held');
for (const id of ['completed', 'replayed']) await post(id, 'test.completed');
for (const name of ['stale', 'rejected', 'ignored', 'deferred', 'dead', 'closed', 'failed'])
  await post(name, name === 'closed' ? 'test.dead' : `test.${name}`);
await clock.advanceBy(minutes(5));
await post('processing', 'test.processing');
if ('close' in world) await act(world.close('closed'));
await clock.advanceBy(5_000);
// From here on nothing is processed, and what the queue holds is lost.
world.stop();
await post('pending', 'test.completed');
await act(world.replay('replayed', { replayId: 'r1', by: 'ada', why: 'the total was wrong' }));
const encode = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;
const [events, payloads] = ['events', 'payloads'].map(table => world.database.dump(table).map(item => marshall(item)));
process.stdout.write(
  `${JSON.stringify({ version, at: clock.now(), tables: { events, payloads }, messages: [] }, encode, 1)}\n`,
);
process.exit(0);
