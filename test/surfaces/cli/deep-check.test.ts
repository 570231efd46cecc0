/** `holdfast doctor --deep`: what only a deployed environment shows, and that it sees each thing it looks for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import type { BothClients, ClientOutcome, DeepCall, Gateway } from '#operator/gateway.ts';
import { PROVIDERS } from '#providers/index.ts';
import { SECRET } from '#test/kit/memory-world.ts';
import { CliWorld } from './cli-world.ts';

const PROBE = 'holdfast-probe';
const config = defineGateway({ sources: { shop: { provider: 'generic' } }, environments: { local: { probe: true } } });
const readDeployment = (name: string) => resolveDeployment(config, name, PROVIDERS);

let cli: CliWorld;
beforeEach(() => {
  cli = new CliWorld({ sources: ['shop', 'pay', PROBE] });
  for (const source of ['shop', PROBE])
    cli.vault.stored.set(`holdfast/local/${source}`, { kind: 'set', text: SECRET, changedAt: cli.world.clock.now() });
  cli.world.start();
});
afterEach(() => cli.world.stop());

/** Clients that agree, but where a test says what the small one makes of an operation. */
function clients(small: Readonly<Record<string, ClientOutcome>> = {}): {
  calls: DeepCall[];
  open: Gateway['bothClients'];
} {
  const calls: DeepCall[] = [];
  const ask: BothClients['ask'] = async call => {
    calls.push(call);
    const { operation } = call;
    const sdk = { answer: { $metadata: { requestId: '1' }, Item: call.input('sdk'), operation } };
    const own = { answer: { Item: call.input('small'), operation } };
    return { sdk, small: small[operation] ?? own };
  };
  const names = { payloadsTable: 'payloads', workQueueUrl: 'https://sqs.test/work' };
  return { calls, open: async () => ({ names, ask }) };
}

const deep = (gateway: Partial<Gateway>) => cli.run(['doctor', '--deep'], { gateway, readDeployment });

describe('a gateway that is well', () => {
  it('completes a small and a large event, knows one that comes again, refuses a forged one; both clients agree', async () => {
    const both = clients();
    await cli.world.clock.advanceBy(61_000);
    const { stdout, code } = await deep({ bothClients: both.open });
    expect(stdout).toMatch(/ok +probe +completed after \d+ ms; its body was read back from the table/);
    expect(stdout).toMatch(/ok +probe again +is recognised as the same event/);
    expect(stdout).toMatch(/ok +forged probe +is refused with 401/);
    expect(stdout).toMatch(/ok +large probe +completed after \d+ ms; its body was read back from S3/);
    expect(stdout).toMatch(/ok +clients +both answer the same to \d+ calls: BatchGetItem, .*UpdateItem/);
    expect(code).toBe(0);
    // Every call that the functions make of the small client, but those that take messages or remove items.
    expect([...new Set(both.calls.map(it => it.operation))].sort()).toEqual([
      'BatchGetItem',
      'ChangeMessageVisibility',
      'DeleteMessage',
      'GetItem',
      'GetQueueAttributes',
      'GetSecretValue',
      'PutItem',
      'Query',
      'SendMessage',
      'SendMessageBatch',
      'TransactWriteItems',
      'UpdateItem',
    ]);
  });

  it('says where no event was sent, and how to have one sent', async () => {
    const { stdout } = await cli.run(['doctor', '--deep'], { gateway: { bothClients: clients().open } });
    expect(stdout).toMatch(/warning +probe +no event was sent.*\n +set environments\.local\.probe: true/);
  });
});

describe('a gateway that is not', () => {
  it.each([
    [
      'an error the SDK does not have',
      { GetItem: { error: 'UnknownError', message: '', said: {} } },
      'GetItem: SDK answers Item, operation, small client UnknownError',
    ],
    ['another value', { Query: { answer: { Item: { a: 1 }, operation: 'Query' } } }, 'Query: SDK answers'],
    ['nothing', { SendMessage: { answer: {} } }, 'small client answers nothing'],
  ] as const)('names the call in which the small client gives %s', async (_what, small, text) => {
    const { stdout, code } = await deep({ bothClients: clients(small).open });
    expect(code).toBe(1);
    expect(stdout).toContain(text);
    expect(stdout).toContain("keep awsClient: 'sdk'");
    expect(stdout).not.toContain(SECRET);
  });

  it('notices a processor that stands still, and goes on with the clients', async () => {
    cli.world.mapping.disable();
    const { stdout, code } = await deep({ bothClients: clients().open });
    expect(code).toBe(1);
    expect(stdout).toMatch(/WRONG +probe +was accepted and is pending after 30 s/);
    expect(stdout).toMatch(/ok +clients/);
  });

  it('notices a stored body that is not the one that was sent', async () => {
    const { payloads } = cli.gateway;
    const other = new Proxy(payloads, {
      get: (it, name) =>
        name === 'getBody'
          ? async (...args: Parameters<typeof payloads.getBody>) => {
              const found = await payloads.getBody(...args);
              return found?.bytes ? undefined : found;
            }
          : (Reflect.get(it, name) as () => unknown).bind(it),
    });
    const { stdout } = await deep({ bothClients: clients().open, payloads: other });
    expect(stdout).toMatch(/WRONG +probe +was completed, and its stored body is not the one/);
    expect(stdout).toMatch(/ok +large probe/);
  });

  it('says what keeps the clients from being asked', async () => {
    const bothClients = () => Promise.reject(new Error('no credentials'));
    expect((await deep({ bothClients })).stdout).toMatch(/WRONG +clients +Error: no credentials/);
  });
});
