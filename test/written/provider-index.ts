/** `providers/all.ts`, out of the files beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constantOf } from '#operator/sources/provider-files.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Every provider of the folder, but those that gateway.config.ts imports itself. A file that begins with `_` is none. */
export function renderProviderList(): string {
  const config = readFileSync(join(ROOT, 'gateway.config.ts'), 'utf8');
  const files = readdirSync(join(ROOT, 'providers'))
    .filter(
      name => name.endsWith('.ts') && !/^(?:all|index)\.ts$|^_/.test(name) && !config.includes(`'./providers/${name}'`),
    )
    // The linter's order of imports: "adyen.ts" before "adyen-platforms.ts".
    .toSorted((a, b) => (a.slice(0, -3) < b.slice(0, -3) ? -1 : 1));
  const lines = files.map(file => `export { ${constantOf(file.slice(0, -'.ts'.length))} } from './${file}';\n`);
  return `// Made by npm run write, out of the files of this folder.\n${lines.join('')}`;
}
