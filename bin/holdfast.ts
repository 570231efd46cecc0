#!/usr/bin/env node
/** The CLI's entry: see cli/main.ts. */
import { openGateway } from '#cli/aws/open-gateway.ts';
import { processIo } from '#cli/io.ts';
import { runCli } from '#cli/main.ts';
import { readDeployment } from '#local/sources.ts';

const io = processIo();
process.exitCode = await runCli(process.argv.slice(2), {
  io,
  readDeployment,
  openGateway: deployment => openGateway(deployment, io.env),
});
// A wait that was interrupted may still hold a timer or a socket.
if (io.interrupted.aborted) process.exit();
