/** Ctrl-C in the middle, and a limit: what was done, what is left, how to go on; and the exit code says that it was stopped. */
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld, temporaryFile } from './cli-world.ts';

const STOPPED = 130;

async function world(ids: readonly string[]) {
  const cli = new CliWorld({
    retry: { attempts: 1, baseSeconds: 1, capSeconds: 1 },
    handlers: handlerThat(({ id }) =>
      id.startsWith('bad') ? Promise.reject(new PermanentError('schema')) : undefined,
    ),
  });
  onTestFinished(() => cli.world.stop());
  cli.world.start();
  await cli.happen(ids);
  return cli;
}

/** Ctrl-C at the `n`th call of a method. */
function stopAt<T extends object>(of: T, method: keyof T, n: number) {
  const stop = new AbortController();
  let calls = 0;
  const counted = new Proxy(of, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown => {
        if (name === method && ++calls === n) stop.abort();
        return member.apply(target, given);
      };
    },
  });
  return { signal: stop.signal, counted };
}

it.each([
  ['redrive', 'moved'],
  ['purge', 'deleted'],
] as const)('dlq %s says at its limit, and after Ctrl-C, that there may be more', async (verb, what) => {
  const cli = await world(['bad-1', 'bad-2', 'bad-3']);
  if (verb === 'purge') await cli.run(['dlq', 'close', '--cause', 'permanent', '--why', 'a test', '--yes']);
  const args = ['dlq', verb, '--yes'];
  const { signal, counted: dead } = stopAt(cli.gateway.dead, 'delete', 1);
  const stopped = await cli.json(args, { signal, gateway: { dead } });
  expect(stopped).toMatchObject({ code: STOPPED, value: { [what]: 1, stopped: 'interrupted' } });
  expect(stopped.stderr).toContain(`Stopped. Run it again for the rest`);
  const limited = await cli.json([...args, '--limit', '1']);
  expect(limited).toMatchObject({ code: 0, value: { [what]: 1, stopped: 'limit' } });
  expect(limited.stderr).toContain('Stopped at --limit 1');
  expect(await cli.json(args)).toMatchObject({ code: 0, value: { [what]: 1, kept: 0 } });
});

it('dlq close says what is left, and how to go on', async () => {
  const cli = await world(Array.from({ length: 30 }, (_, n) => `bad-${n}`));
  const { signal, counted: store } = stopAt(cli.gateway.store, 'update', 1);
  const close = ['dlq', 'close', '--cause', 'permanent', '--why', 'a test', '--yes'];
  expect(await cli.json(close, { signal, gateway: { store } })).toMatchObject({
    code: STOPPED,
    value: { closed: 25, left: 5 },
    stderr: expect.stringContaining('Stopped. Run it again for the rest'),
  });
  expect(await cli.json(close)).toMatchObject({ code: 0, value: { closed: 5, left: 0 } });
});

it('an export leaves no file, an import is run again', async () => {
  const cli = await world(Array.from({ length: 40 }, (_, n) => `good-${n}`));
  const file = temporaryFile('events.ndjson');
  const exporting = stopAt(cli.gateway.payloads, 'getBody', 20);
  expect(
    await cli.run(['export', file], { signal: exporting.signal, gateway: { payloads: exporting.counted } }),
  ).toMatchObject({
    code: STOPPED,
    stderr: expect.stringContaining('Stopped after 32 events'),
  });
  expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
  expect(await cli.run(['export', file])).toMatchObject({ code: 0 });

  const target = await world([]);
  const importing = stopAt(target.gateway.store, 'insert', 20);
  const stopped = await target.run(['import', file, '--yes'], {
    signal: importing.signal,
    gateway: { store: importing.counted },
  });
  expect(stopped).toMatchObject({ code: STOPPED, stderr: expect.stringContaining('Stopped after 32/40 events') });
  expect(stopped.stderr).toContain('Run it again: it goes on.');
  expect(await target.json(['import', file, '--yes'])).toMatchObject({ code: 0, value: { made: 8, there: 32 } });
});

it('replay of ids names those that it did not replay', async () => {
  const cli = await world(['bad-1', 'bad-2', 'bad-3']);
  const { signal, counted: store } = stopAt(cli.gateway.store, 'update', 1);
  const { code, stderr } = await cli.run(['replay', 'bad-1', 'bad-2', 'bad-3', '--why', 'x', '--yes'], {
    signal,
    gateway: { store },
  });
  expect([code, stderr]).toEqual([STOPPED, expect.stringContaining('Not replayed: evt_shop.bad-2 evt_shop.bad-3')]);
});

it('send counts what it sent', async () => {
  const cli = await world([]);
  const stop = new AbortController();
  const { http } = cli.gateway;
  let sent = 0;
  const counted: typeof http = async (...given) => {
    if (++sent === 3) stop.abort();
    return http(...given);
  };
  expect(
    await cli.json(['send', 'shop', '--count', '20', '--yes'], { signal: stop.signal, gateway: { http: counted } }),
  ).toMatchObject({
    code: STOPPED,
    value: { sent: 3, refused: 0 },
  });
});
