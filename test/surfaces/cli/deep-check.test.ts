/** `holdfast doctor --deep`: what only a deployed environment shows, and that it sees each thing it looks for. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import type { Gateway } from '#operator/gateway.ts';
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

const deep = (gateway: Partial<Gateway> = {}) => cli.run(['doctor', '--deep'], { gateway, readDeployment });

describe('a gateway that is well', () => {
  it('completes a small and a large event, knows one that comes again and refuses a forged one', async () => {
    await cli.world.clock.advanceBy(61_000);
    const { stdout, code } = await deep();
    expect(stdout).toMatch(/ok +probe +completed after \d+ ms; its body was read back from the table/);
    expect(stdout).toMatch(/ok +probe again +is recognised as the same event/);
    expect(stdout).toMatch(/ok +forged probe +is refused with 401/);
    expect(stdout).toMatch(/ok +large probe +completed after \d+ ms; its body was read back from S3/);
    expect(code).toBe(0);
  });

  it('says where no event was sent, and how to have one sent', async () => {
    const { stdout } = await cli.run(['doctor', '--deep']);
    expect(stdout).toMatch(/warning +probe +no event was sent.*\n +set environments\.local\.probe: true/);
  });
});

describe('a gateway that is not', () => {
  it('notices a processor that stands still', async () => {
    cli.world.mapping.disable();
    const { stdout, code } = await deep();
    expect(code).toBe(1);
    expect(stdout).toMatch(/WRONG +probe +was accepted and is pending after 30 s/);
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
    const { stdout } = await deep({ payloads: other });
    expect(stdout).toMatch(/WRONG +probe +was completed, and its stored body is not the one/);
    expect(stdout).toMatch(/ok +large probe/);
  });

  it('says why no event could be sent', async () => {
    const http = () => Promise.reject(new Error('nothing listens there'));
    const { stdout, code } = await deep({ http });
    expect(code).toBe(1);
    expect(stdout).toMatch(/WRONG +probe +Error: nothing listens there/);
  });
});
