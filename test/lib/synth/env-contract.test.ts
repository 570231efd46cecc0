import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const REPOSITORY = join(import.meta.dirname, '../../..');
const FILE = 'test/lib/types/function-environment.ts';

it('makes a missing, misspelt, unknown or non-text variable of a function a compile error', () => {
  const wanted = readFileSync(join(REPOSITORY, FILE), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const code = / \/\/ error (TS\d+)$/.exec(line)?.[1];
      return code ? [`${FILE}(${index + 1}): ${code}`] : [];
    });
  expect(wanted).toHaveLength(4);

  const tsc = join(REPOSITORY, 'node_modules/.bin/tsc');
  const { stdout, status } = spawnSync(tsc, ['-p', 'test/lib/types', '--pretty', 'false'], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  const found = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error (TS\d+)/gm)].map(
    ([, file, line, code]) => `${file}(${line}): ${code}`,
  );
  expect(found).toEqual(wanted);
  expect(status).not.toBe(0);
});
