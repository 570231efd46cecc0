/** A mistake in gateway.config.ts is one message with the nearest key, also where nothing can be read behind it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { HOLDFAST_DIRECTORY, PACKAGE_ROOT } from '#local/shell/workspace.ts';

mkdirSync(HOLDFAST_DIRECTORY, { recursive: true });
// Inside the repository, so that the project finds `holdfast`.
const project = mkdtempSync(join(HOLDFAST_DIRECTORY, 'mistakes-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const HANDLERS = "import { defineHandlers } from 'holdfast';\nexport const handlers = defineHandlers([]);\n";

it.each<[command: string, config: string, ...said: string[]]>([
  ['check', "{ sources: { shop: { provider: 'stripe' } }, enviroments: {} }", 'did you mean environments?'],
  ['deploy', "{ sources: { shop: { provider: 'stripe' } }, enviroments: {} }", 'did you mean environments?'],
  ['diff', "{ source: { shop: { provider: 'stripe' } }, environments: { local: {} } }", 'did you mean sources?'],
  [
    'check',
    "{ sources: { shop: { provider: 'stripe' } }, environments: { local: {}, prod: { thresholds: { 'proces-slow': 1 } } } }",
    'environments.prod.thresholds."proces-slow": given "proces-slow"',
    'did you mean process-slow?',
  ],
  ['check', 'undefined as never', 'gateway.config.ts has no export "gateway"'],
])('holdfast %s with %s', (command, config, ...said) => {
  const text = `import { defineGateway } from 'holdfast';\nexport const gateway = defineGateway(${config} as never);\n`;
  writeFileSync(join(project, 'gateway.config.ts'), text);
  mkdirSync(join(project, 'handlers'), { recursive: true });
  writeFileSync(join(project, 'handlers/index.ts'), HANDLERS);
  let printed = '';
  try {
    execFileSync(process.execPath, [join(PACKAGE_ROOT, 'bin/holdfast.ts'), command], { cwd: project, stdio: 'pipe' });
  } catch (error) {
    printed = String((error as { stderr: Buffer }).stderr);
  }
  for (const text of said) expect(printed).toContain(text);
  expect(printed).not.toMatch(/\n\s+at /);
});
