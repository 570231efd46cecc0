/** Writes the recording into test/e2e/cli-recording.txt. Run by `npm run docs:cli`; starts a local AWS of its own. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { RECORDING, recordCli } from './cli-recording.ts';
import { GatewayUnderTest } from './gateway-under-test.ts';

const gateway = await GatewayUnderTest.start();
try {
  const path = join(PACKAGE_ROOT, RECORDING);
  await writeFile(path, `${await recordCli(gateway)}\n`);
  console.log(`Wrote ${path}`);
} finally {
  await gateway.stop();
}
