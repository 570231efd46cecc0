/** Writes the recording into docs/reference/cli.md. Run by `npm run docs:cli`; starts a local AWS of its own. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { BEGIN, END, recordCli } from './cli-recording.ts';
import { GatewayUnderTest } from './gateway-under-test.ts';

const gateway = await GatewayUnderTest.start();
try {
  const path = join(PACKAGE_ROOT, 'docs/reference/cli.md');
  const recording = await recordCli(gateway);
  const page = await readFile(path, 'utf8');
  const [before = '', after = ''] = [page.split(BEGIN)[0], page.split(END)[1]];
  await writeFile(path, `${before}${BEGIN}\n\`\`\`console\n${recording}\n\`\`\`\n${END}${after}`);
  console.log(`Wrote ${path}`);
} finally {
  await gateway.stop();
}
