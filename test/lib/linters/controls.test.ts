/**
 * AWS Control Tower's proactive controls (cfn-guard) over the templates with everything on, in the long run. Program and rules
 * come with a package of AWS Labs, for Linux and macOS. The rules of CIS are in no registry.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arch, platform } from 'node:process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { synthEnvironment } from '#test/lib/synth/synth-environment.ts';
import { CONFIGURATIONS, stacksOf } from '#test/lib/synth/transitions.ts';
import { ACCEPTED_CONTROLS } from './accepted.ts';

const PACKAGE = '@cdklabs/cdk-validator-cfnguard';
const VERSION = '0.0.62';
const SYSTEM = { linux: 'ubuntu', darwin: 'macos' }[platform as string];

interface Report {
  readonly compliant: readonly string[];
  readonly not_compliant: readonly { readonly Rule: { readonly name: string } }[];
}

it('every control that is accepted has a reason', () => {
  for (const [rule, reason] of Object.entries(ACCEPTED_CONTROLS)) expect(reason.length, rule).toBeGreaterThan(40);
});

it.skipIf(SYSTEM === undefined || !isLongRun())(
  'find the accepted controls and no other',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-controls-'));
    const run = promisify(execFile);
    try {
      const alone = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--prefix', folder];
      await run('npm', ['install', ...alone, `${PACKAGE}@${VERSION}`]);
      const guard = join(folder, 'node_modules', PACKAGE);
      const program = join(guard, 'bin', SYSTEM ?? '', arch === 'arm64' ? 'aarch64' : 'x86_64', 'cfn-guard');
      await chmod(program, 0o755);
      const templates = join(folder, 'templates');
      await mkdir(templates);
      const { stage } = await synthEnvironment(
        'prod',
        CONFIGURATIONS['everything'] ?? { sources: {}, environments: {} },
      );
      for (const stack of stacksOf(stage))
        await writeFile(join(templates, `${stack.name.replaceAll('/', '-')}.json`), JSON.stringify(stack.template));
      const rules = join(guard, 'rules/control-tower/cfn-guard');
      const args = ['validate', '-d', templates, '-r', rules, '--structured', '-o', 'json', '-S', 'none'];
      const asked = run(program, args, { maxBuffer: 1e9 });
      // It reads its standard input to the end before it looks at a file.
      asked.child.stdin?.end();
      // A control that is not kept is its exit code.
      const { stdout } = await asked.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
      const reports = JSON.parse(stdout) as readonly Report[];
      expect(new Set(reports.flatMap(each => each.compliant)).size).toBeGreaterThan(10);
      const found = reports.flatMap(each => each.not_compliant.map(({ Rule }) => Rule.name));
      expect([...new Set(found)].sort()).toEqual(Object.keys(ACCEPTED_CONTROLS).sort());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  20 * MINUTE_MS,
);
