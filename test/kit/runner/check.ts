/**
 * `npm run check`, each part beside the others: none of them keeps two cores busy from its start to its end. One thread for
 * `tsc`: each of its four usual checkers would work out the types that all files share for itself.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PARTS = [
  'biome ci --error-on-warnings .',
  'tsc --singleThreaded',
  'knip',
  'tsc --project console/app',
  'tsc --project portal/app',
  'node test/rooms/check.ts',
  'node local/check.ts',
];

const codes = PARTS.map(async part => {
  const [code] = await once(spawn(part, { shell: true, stdio: ['ignore', 'inherit', 'inherit'] }), 'close');
  if (code !== 0) console.error(`red: ${part}`);
  return code;
});
if ((await Promise.all(codes)).some(code => code !== 0)) process.exitCode = 1;
