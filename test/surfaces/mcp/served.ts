/** `holdfast mcp` as a program over the whole product in memory, in which two events died. Arguments: those of the command. */
import { processIo } from '#cli/io.ts';
import { runCli } from '#cli/main.ts';
import { serveAgent } from '#mcp/serve-agent.ts';
import { CliWorld } from '../cli/cli-world.ts';

const cli = new CliWorld();
cli.world.start();
await cli.happen(['good-1', 'bad-1', 'bad-2']);
cli.world.stop();
// Whoever asks waits in real time, and stores wait on the virtual clock.
const passing = setInterval(() => void cli.world.clock.advanceBy(10), 1);
process.exitCode = await runCli(['mcp', ...process.argv.slice(2)], {
  io: processIo(),
  clock: cli.world.clock,
  readDeployment: () => cli.gateway.deployment,
  openGateway: async () => cli.gateway,
  publishedLists: { fetchText: () => Promise.reject(new Error('no network')), directory: '/nowhere' },
  serveAgent,
});
clearInterval(passing);
