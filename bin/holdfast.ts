#!/usr/bin/env node
/** The CLI's entry: see cli/main.ts. */
import { join } from 'node:path';
import { processIo } from '#cli/io.ts';
import { runCli } from '#cli/main.ts';
import { readDeployment } from '#local/sources.ts';
import { PACKAGE_ROOT } from '#local/workspace.ts';
import { openGateway } from '#operator/aws/open-gateway.ts';
import { fetchList } from '#operator/fetch-list.ts';

const io = processIo();
process.exitCode = await runCli(process.argv.slice(2), {
  io,
  readDeployment,
  openGateway: deployment => openGateway(deployment, io.env),
  publishedLists: { fetchText: fetchList(), directory: join(PACKAGE_ROOT, 'providers') },
});
// A wait that was interrupted may still hold a timer or a socket.
if (io.interrupted.aborted) process.exit();
