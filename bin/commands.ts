/** The commands of the CLI over the project that it is called in: see cli/main.ts. */
import { join } from 'node:path';
import { processIo } from '#cli/io.ts';
import { runCli } from '#cli/main.ts';
import { readHandlers } from '#local/project/project.ts';
import { readDeployment, reread } from '#local/project/sources.ts';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { fetchList } from '#operator/sources/fetch-list.ts';

const io = processIo();
process.exitCode = await runCli(process.argv.slice(2), {
  io,
  readDeployment,
  reread,
  readHandlers,
  // What one command alone needs is read for that: the clients of AWS take a third of the start.
  openGateway: async deployment => (await import('#operator/aws/open-gateway.ts')).openGateway(deployment, io.env),
  startConsole: async options => {
    const { startConsole } = await import('#console/server/start-console.ts');
    return startConsole(options);
  },
  serveAgent: async options => (await import('#mcp/serve-agent.ts')).serveAgent(options),
  prove: async options => (await import('#local/prove.ts')).prove(options),
  proveBill: async (...about) => (await import('#local/prove.ts')).proveBill(...about),
  publishedLists: { fetchText: fetchList(), directory: join(PACKAGE_ROOT, 'providers') },
});
// A wait that was interrupted may still hold a timer or a socket.
if (io.interrupted.aborted) process.exit();
