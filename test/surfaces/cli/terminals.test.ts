/** docs/terminals.md is what the commands print. After a change: `npx vitest run -u test/surfaces/cli/terminals.test.ts`. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PermanentError } from '#core/handler/handler-contract.ts';
import { handlerThat } from '../../proof/journeys/support/handlers.ts';
import { CliWorld } from './cli-world.ts';

const PAGE = join(import.meta.dirname, '../../../docs/terminals.md');
const COMMANDS = ['status', 'events ls', 'dlq ls', 'sources ls', 'refused ls'];
const WIDTHS = [80, 120] as const;
const ERROR = new PermanentError('column "amount_captured" of relation "bookings" does not exist, see migration 42', {
  label: 'schema',
});

/** An evening: some events, two that died, a request with a wrong secret. */
async function evening(): Promise<CliWorld> {
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

it.each([...WIDTHS, 200])('at %i columns no id, URL or error is cut, and every line fits', async columns => {
  const cli = await evening();
  for (const command of COMMANDS) {
    const { stdout } = await cli.run(command.split(' '), { columns, env: { NO_COLOR: '1' } });
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    expect(stdout).not.toContain('…');
    if (command === 'dlq ls') expect(stdout.replace(/\s+/g, ' ')).toContain('see migration 42');
  }
  cli.world.stop();
});

it('is written as the commands print it', async () => {
  const cli = await evening();
  const screens: string[] = [];
  for (const columns of WIDTHS) {
    screens.push(`## ${columns} columns`);
    for (const command of COMMANDS) {
      const { stdout } = await cli.run(command.split(' '), { columns, env: { NO_COLOR: '1' } });
      screens.push(`\`\`\`console\n$ holdfast ${command}\n${stdout.trimEnd()}\n\`\`\``);
    }
  }
  cli.world.stop();
  const page = `# Terminals of 80 and 120 columns

This page shows what five commands print. It was recorded with a gateway in memory. Ids, URLs and errors are never cut. An id takes its short form: \`..\` and its last eight characters, which every command accepts. Texts wrap under their column, and a column that does not fit gets a line of its own. On wider terminals, in files and in pipes, each row is one line with whole ids.

Times are in your zone (\`TZ\`) and name it. \`--utc\` shows UTC, and JSON always does.

${screens.join('\n\n')}
`;
  await expect(page).toMatchFileSnapshot(PAGE);
});
