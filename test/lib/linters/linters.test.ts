/** cfn-lint and checkov over the templates of three configurations, in the long run: they find what we accepted, no more, no less. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { findPython } from '#local/emulator/python.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { synthEnvironment } from '#test/lib/synth/synth-environment.ts';
import { CONFIGURATIONS, stacksOf } from '#test/lib/synth/transitions.ts';
import { ACCEPTED } from './accepted.ts';

const NAMES = ['everything', 'outbound with a key of yours', 'disposable, with outbound'] as const;
const python = await findPython();

it('every rule that is accepted has a reason', () => {
  for (const [rule, reason] of Object.entries(ACCEPTED)) expect(reason.length, rule).toBeGreaterThan(40);
});

describe.skipIf(!python || !isLongRun())('linters of others', () => {
  let folder: string;
  const run = promisify(execFile);
  /** What it prints; a linter that finds something ends with a code. */
  const ask = async (name: string, args: readonly string[]): Promise<string> => {
    const options = { cwd: folder, maxBuffer: 1e8 };
    const ended = run(join(folder, 'venv/bin', name), [...args], options);
    return (await ended.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }))).stdout;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-linters-'));
    await run(python ?? '', ['-m', 'venv', join(folder, 'venv')]);
    const pins = join(import.meta.dirname, 'requirements.txt');
    await run(join(folder, 'venv/bin/python3'), ['-m', 'pip', 'install', '--quiet', '-r', pins]);
    for (const [at, name] of NAMES.entries()) {
      const config = CONFIGURATIONS[name];
      if (config === undefined) throw new Error(`there is no configuration ${name}`);
      for (const stack of stacksOf((await synthEnvironment('prod', config)).stage))
        await writeFile(join(folder, `${at}-${stack.name.replaceAll('/', '-')}.json`), JSON.stringify(stack.template));
    }
  }, 15 * MINUTE_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(
    'find the accepted rules and no other',
    async () => {
      const lint = JSON.parse(await ask('cfn-lint', ['--format', 'json', '*.json'])) as { Rule: { Id: string } }[];
      const quiet = ['--framework', 'cloudformation', '--compact', '--quiet', '-o', 'json', '--skip-path', 'venv'];
      const checked = JSON.parse(await ask('checkov', ['-d', '.', ...quiet])) as {
        readonly results: { readonly failed_checks: readonly { readonly check_id: string }[] };
        readonly summary: { readonly passed: number };
      };
      expect(checked.summary.passed).toBeGreaterThan(500);
      const found = [...lint.map(each => each.Rule.Id), ...checked.results.failed_checks.map(each => each.check_id)];
      expect([...new Set(found)].sort()).toEqual(Object.keys(ACCEPTED).sort());
    },
    10 * MINUTE_MS,
  );
});
