/**
 * `npm run release -- <version>`: everything that publishing needs.
 * 1. The version in package.json and its section in CHANGELOG.md.
 * 2. The packages, as tarballs, and what they lack to be published.
 * 3. Each tarball tried in an empty folder.
 * 4. A bill of materials (SBOM) of what a project installs, in CycloneDX, with each licence.
 * 5. A dry run of `npm publish`.
 * 6. A commit and a tag. Pushed, the tag starts .github/workflows/release.yml, which calls this with `--publish`.
 * `--dry-run` changes nothing in the checkout. `--publish` publishes the version of package.json with its provenance.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { parseArgs } from 'node:util';
import { given } from '#core/given.ts';
import { type BuiltPackages, buildPackages, packAll } from './build.ts';
import { readChanges, withRelease, writeRelease } from './changelog.ts';
import { createProject } from './create-project.ts';
import type { Manifest } from './manifest.ts';
import { billOfMaterials, missingToPublish } from './ready-to-publish.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, '.holdfast/release');

async function release(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'dry-run': { type: 'boolean' }, publish: { type: 'boolean' } },
  });
  const own: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [version = own.version] = positionals;
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Refusal(`Give the version to release, such as 0.2.0. Given: ${version}`);
  const isDry = values['dry-run'] === true;
  if (isDry && version !== own.version)
    throw new Refusal(`A dry run tries the version that the checkout has, ${own.version}: leave the version out.`);
  if (!isDry && run(ROOT, 'git', 'status', '--porcelain') !== '')
    throw new Refusal(
      'Files of the checkout are changed: commit them first, so that the release is what is committed.',
    );
  if (values.publish) requireTag(version);
  else if (!isDry) writeVersion(version);

  const repository = own.repository ?? repositoryOfCi();
  const built = await buildPackages({ folder: FOLDER, ...given({ repository }) });
  if (isDry) {
    const changelog = withRelease(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version, today(), readChanges());
    writeFileSync(join(built.holdfast, 'CHANGELOG.md'), changelog);
  }
  say(`1. ${version}, with its section in CHANGELOG.md.`);
  const tarballs = packAll(built);
  const missing = [...new Set(Object.values(built).flatMap(missingToPublish))];
  say(`2. ${Object.values(tarballs).join('\n   ')}`);
  for (const each of missing) say(`   Missing to publish: ${each}`);
  if (values.publish && missing.length > 0) throw new Refusal('Not published: see what is missing above.');

  tryOut(built, tarballs);
  for (const tarball of Object.values(tarballs))
    run(FOLDER, 'npm', 'publish', '--dry-run', '--access', 'public', tarball);
  say('5. npm publish --dry-run takes all three.');
  if (isDry) return say('6. This was a dry run: nothing is changed, and nothing is published.');
  if (values.publish) {
    for (const tarball of Object.values(tarballs))
      run(FOLDER, 'npm', 'publish', '--provenance', '--access', 'public', tarball);
    return say(`6. ${version} is published.`);
  }
  run(ROOT, 'git', 'commit', '--all', '--message', `Release ${version}`);
  run(ROOT, 'git', 'tag', `v${version}`);
  say(`6. Committed and tagged. To publish: git push --follow-tags origin HEAD v${version}`);
}

/** In each file that says it. */
function writeVersion(version: string): void {
  say('If a step fails: git restore . takes back what this changes.');
  run(ROOT, 'npm', 'version', version, '--no-git-tag-version', '--allow-same-version');
  const file = join(ROOT, 'core/version.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/'\d+\.\d+\.\d+'/, `'${version}'`));
  writeRelease(version, today());
  run(ROOT, 'npm', 'run', 'write');
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** A project with its tests, and a backend that only publishes, each in an empty folder. */
function tryOut(built: BuiltPackages, tarballs: BuiltPackages): void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-release-'));
  try {
    const project = join(folder, 'project');
    createProject(project, ['--providers', 'stripe,github'], built, tarballs.holdfast);
    run(project, 'npm', 'install', '--no-audit', '--no-fund');
    run(project, 'npm', 'test');
    run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefix', join(folder, 'backend'), tarballs.publish);
    const program =
      "import('holdfast-publish').then(({ createPublisher }) => createPublisher({ url: 'https://a.example', region: 'eu-central-1' }))";
    run(join(folder, 'backend'), 'node', '--eval', program);
    say('3. In empty folders: a project is made, installed and tested; a backend imports holdfast-publish.');
    const places = { holdfast: project, 'holdfast-publish': join(folder, 'backend') };
    const bills = Object.entries(places).map(([name, place]) => {
      // A document names what it is about by its version, too.
      run(place, 'npm', 'pkg', 'set', 'version=0.0.0');
      const sbom = run(place, 'npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev');
      writeFileSync(join(FOLDER, `${name}.cdx.json`), sbom);
      return `${name}.cdx.json, ${billOfMaterials(sbom, name)}`;
    });
    say(`4. ${bills.join('\n   ')}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function requireTag(version: string): void {
  const tags = run(ROOT, 'git', 'tag', '--points-at', 'HEAD').split('\n');
  if (!tags.includes(`v${version}`))
    throw new Refusal(`This commit has no tag v${version}: make it with npm run release -- ${version}`);
}

/** Where GitHub Actions has the repository from. */
function repositoryOfCi(): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  return server && name ? `${server}/${name}` : undefined;
}

/** Throws Refusal with the end of what the program printed. */
function run(cwd: string, program: string, ...args: readonly string[]): string {
  try {
    const options = { cwd, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 28 } as const;
    return execFileSync(program, args, options).trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Refusal(`${program} ${args.join(' ')} failed:\n${`${stdout}${stderr}`.trim().slice(-4_000)}`);
  }
}

const say = (text: string): void => console.log(text);

/** What stops a release, in words for the person who makes it. */
class Refusal extends Error {}

try {
  await release();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
