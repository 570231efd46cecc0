/** The imports and the list of `providers/index.ts`, out of the files beside it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constantOf } from '#operator/sources/provider-files.ts';
import { withBlock } from './block.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The text of the index with every provider of the folder, but those that gateway.config.ts imports itself. A file that begins with `_` is none. */
export function renderProviderIndex(text: string): string {
  const config = readFileSync(join(ROOT, 'gateway.config.ts'), 'utf8');
  const files = readdirSync(join(ROOT, 'providers'))
    .filter(
      name =>
        name.endsWith('.ts') &&
        name !== 'index.ts' &&
        !name.startsWith('_') &&
        !config.includes(`'./providers/${name}'`),
    )
    // The linter's order of imports: "adyen.ts" before "adyen-platforms.ts".
    .toSorted((a, b) => (a.slice(0, -3) < b.slice(0, -3) ? -1 : 1));
  const names = files.map(file => [constantOf(file.slice(0, -'.ts'.length)), file]);
  const imports = names.map(([name, file]) => `import { ${name} } from './${file}';\n`).join('');
  const list = `const all: readonly ProviderSpec[] = [\n${names.map(([name]) => `  ${name},\n`).join('')}];\n`;
  return withBlock(text, 'list', `${imports}\n${list}`);
}
