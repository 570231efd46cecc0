#!/usr/bin/env node
/** The CLI's entry: see cli/main.ts. */
import { join } from 'node:path';
import { processIo } from '#cli/io.ts';
import { runCli } from '#cli/main.ts';
import type { ProgramName } from '#cli/programs.ts';
import { readHandlers } from '#local/project/project.ts';
import { readDeployment, reread } from '#local/project/sources.ts';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import { fetchList } from '#operator/sources/fetch-list.ts';

/** What a project runs through npm scripts; each is a program of its own in local/. */
const PROGRAMS: Readonly<Record<ProgramName, () => Promise<unknown>>> = {
  start: () => import('#local/start.ts'),
  check: () => import('#local/check.ts'),
  drill: () => import('#local/drill.ts'),
  deploy: () => import('#local/deploy.ts'),
  diff: () => import('#local/diff.ts'),
  destroy: () => import('#local/deploy.ts'),
};
const [name = ''] = process.argv.slice(2);
if (Object.hasOwn(PROGRAMS, name)) {
  process.argv.splice(2, 1, ...(name === 'destroy' ? ['--destroy'] : []));
  await PROGRAMS[name as ProgramName]();
}

const io = processIo();
process.exitCode = await runCli(process.argv.slice(2), {
  io,
  readDeployment,
  reread,
  readHandlers,
  openGateway: deployment => openGateway(deployment, io.env),
  startConsole: async options => {
    const { startConsole } = await import('#console/server/start-console.ts');
    return startConsole(options);
  },
  // Its library is read for this command alone.
  serveAgent: async options => (await import('#mcp/serve-agent.ts')).serveAgent(options),
  prove: async options => (await import('#local/prove.ts')).prove(options),
  proveBill: async (...about) => (await import('#local/prove.ts')).proveBill(...about),
  publishedLists: { fetchText: fetchList(), directory: join(PACKAGE_ROOT, 'providers') },
});
// A wait that was interrupted may still hold a timer or a socket.
if (io.interrupted.aborted) process.exit();
