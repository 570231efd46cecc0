/** What five commands print on terminals of 80 and 120 columns. `npm run write` writes it to `terminals.txt`. */
import { PermanentError } from '#core/handler/handler-contract.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld } from './cli-world.ts';

export const COMMANDS = ['status', 'events ls', 'dlq ls', 'sources ls', 'refused ls'];
export const WIDTHS = [80, 120] as const;
const ERROR = new PermanentError('column "amount_captured" of relation "bookings" does not exist, see migration 42', {
  label: 'schema',
});

/** An evening: some events, two that died, a request with a wrong secret. */
export async function evening(): Promise<CliWorld> {
  const cli = new CliWorld({
    handlers: handlerThat(({ id }) => (id.includes('dead') ? Promise.reject(ERROR) : undefined)),
  });
  cli.world.start();
  for (const [n, id] of ['order-7f3a9c41d2e84b06', 'order-91be02c7aa5d4f13', 'order-dead-5c0e7712'].entries())
    await cli.world.post({ id, source: n === 1 ? 'pay' : 'shop', type: 'checkout.order.completed' });
  for (let n = 0; n < 2; n++) {
    const request = cli.world.apiEvent({ id: 'forged', source: 'pay', createdAt: cli.world.clock.now() });
    const headers = { ...request.headers, 'x-webhook-signature': `sha256=${'0'.repeat(64)}` };
    await cli.world.clock.complete(cli.world.ingest.invoke({ ...request, headers }));
  }
  await cli.world.clock.advanceBy(180_000);
  return cli;
}

/** Each command at each width, one after the other. */
export async function renderTerminals(): Promise<string> {
  const cli = await evening();
  const screens: string[] = [];
  for (const columns of WIDTHS)
    for (const command of COMMANDS) {
      const { stdout } = await cli.run(command.split(' '), { columns, env: { NO_COLOR: '1' } });
      screens.push(`${columns} columns\n$ holdfast ${command}\n${stdout.trimEnd()}\n`);
    }
  cli.world.stop();
  return screens.join('\n');
}
