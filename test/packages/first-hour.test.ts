/**
 * A person's first hour, from the tarballs: on each Node and with each package manager, only by what the guides, the
 * programs and the runbook print. Its seconds are written into test/RESULTS.md.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '#core/time.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { freePort } from '#test/kit/servers/free-port.ts';
import { withBlock } from '#test/written/block.ts';
import { readGuide, startProject, writeFiles } from './guide.ts';
import { REPOSITORY } from './packed-project.ts';
import { makeTarballs, type Tarballs } from './tarballs.ts';

const exec = promisify(execFile);
const PNPM = 'pnpm@12.21.0';
const COMBINATIONS = [
  { manager: 'npm', node: 22 },
  { manager: 'npm', node: 24 },
  { manager: 'pnpm', node: 22 },
  { manager: 'pnpm', node: 24 },
] as const;
type Combination = (typeof COMBINATIONS)[number];

/** What somebody writes who has not looked at the body: TypeScript believes it. */
const RIGHT = 'const { parcel } = event.payload as { parcel: { id: string; state: string } };';
const WRONG = 'const { parcel } = (event.payload as { data: { parcel: { id: string; state: string } } }).data;';

describe.skipIf(!isLongRun())('the first hour', () => {
  let folder: string;
  let tarballs: Tarballs;
  const hours: { readonly name: string; readonly seconds: ReadonlyMap<string, number> }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-hour-'));
    tarballs = await makeTarballs(folder);
  }, 3 * MINUTE_MS);
  afterAll(async () => {
    if (hours.length > 0) await writeSeconds(hours, new Date());
    await rm(folder, { recursive: true, force: true });
  }, 2 * MINUTE_MS);

  it.each(COMBINATIONS)(
    '$manager with Node $node',
    async combination => {
      const hour = new Hour(folder, tarballs, combination);
      try {
        await hour.live();
      } finally {
        await hour.end();
        console.log(`${combination.manager}, Node ${combination.node}`, Object.fromEntries(hour.seconds));
      }
      const name = `${combination.manager}, Node ${combination.node}`;
      hours.push({ name, seconds: hour.seconds });
    },
    30 * MINUTE_MS,
  );
});

class Hour {
  readonly seconds = new Map<string, number>();
  readonly #folder: string;
  readonly #tarballs: Tarballs;
  readonly #combination: Combination;
  readonly #project: string;
  #env: NodeJS.ProcessEnv = {};
  #port = '';
  #stop: () => Promise<void> = async () => {};

  constructor(folder: string, tarballs: Tarballs, combination: Combination) {
    this.#folder = folder;
    this.#tarballs = tarballs;
    this.#combination = combination;
    this.#project = join(folder, `hour-${combination.manager}-${combination.node}`);
  }

  async live(): Promise<void> {
    await this.#prepare();
    const printed = await this.#step('create the project', () => this.#create());
    await this.#step('install it', () => this.#run(printed[0] ?? ''));
    const tested = await this.#step('test it', () => this.#run(printed[1] ?? ''));
    expect(tested).toMatch(/Tests +2 passed/);
    await this.#step('start it', () => this.#start());
    await this.#ownProvider();
    await this.#incident();
    await this.#customer();
  }

  async end(): Promise<void> {
    await this.#stop();
  }

  /** Node of that line and the package manager, as a person has them installed. */
  async #prepare(): Promise<void> {
    const { manager, node } = this.#combination;
    const tools = join(this.#folder, `tools-${manager}-${node}`);
    const packages = [`node-${process.platform}-${process.arch}@${node}`, PNPM];
    await exec('npm', ['install', '--silent', '--prefix', tools, ...packages]);
    this.#port = String(await freePort());
    const agent = manager === 'pnpm' ? { npm_config_user_agent: `${PNPM.replace('@', '/')} npm/? node/v${node}` } : {};
    this.#env = {
      ...process.env,
      PATH: `${join(tools, 'node_modules/.bin')}${delimiter}${process.env['PATH']}`,
      NO_COLOR: '1',
      HOLDFAST_PORT: this.#port,
      ...agent,
    };
    const { stdout } = await exec('node', ['--version'], { env: this.#env });
    expect(stdout).toMatch(new RegExp(`^v${node}\\.`));
  }

  /** The commands that it prints as the next ones. */
  async #create(): Promise<readonly string[]> {
    const options = ['--providers', 'stripe,github', '--holdfast', `file:${this.#tarballs.holdfast}`];
    const made = await exec('node', [this.#tarballs.create, this.#project, ...options], { env: this.#env });
    const printed = [...made.stdout.matchAll(/^ {2}((?:npm|pnpm) (?:install|test|start))\b/gm)].map(it => it[1] ?? '');
    const { manager } = this.#combination;
    expect(printed).toEqual([`${manager} install`, `${manager} test`, `${manager} start`]);
    return printed;
  }

  /** docs/receive/your-own-project.md, with a mistake in the handler that its test finds. */
  async #ownProvider(): Promise<void> {
    const { files, commands } = await readGuide('receive/your-own-project.md');
    const [, describeIt = '', test = '', live = ''] = commands;
    const said = await this.#step('describe a provider', () => this.#run(describeIt));
    const config = files.get('gateway.config.ts') ?? '';
    const asked = [...said.matchAll(/^ {2}(import .*|acme: .*)$/gm)].map(it => it[1] ?? '');
    expect(asked).toHaveLength(2);
    for (const line of asked) expect(config).toContain(line);
    const handler = 'handlers/acme.ts';
    const mistaken = files.get(handler)?.replace(RIGHT, WRONG) ?? '';
    expect(mistaken).toContain(WRONG);
    await writeFiles(this.#project, new Map([...files, [handler, mistaken]]));
    const failed = await this.#step('its handler, with a table: the test fails', () => this.#fails(test));
    const [, place = '', line = '0'] = /TypeError at (handlers\/\w+\.ts):(\d+)/.exec(failed) ?? [failed];
    await this.#step('mend the line that it names', async () => {
      const lines = (await readFile(join(this.#project, place), 'utf8')).split('\n');
      expect(lines[Number(line) - 1]?.trim()).toBe(WRONG);
      lines[Number(line) - 1] = `  ${RIGHT}`;
      await writeFile(join(this.#project, place), lines.join('\n'));
      expect(await this.#run(test)).toMatch(/Tests +4 passed/);
    });
    const sent = await this.#step('deploy it, and send an event', () => this.#run(live));
    expect(sent).toMatch(/evt_acme\.evt_77 +completed/);
    await this.#step('sign a request, and verify it', () => this.#verify());
  }

  async #verify(): Promise<void> {
    const signed = await this.#run('npm run holdfast -- sign parcel.json --source acme');
    const headers = signed.split('\n').filter(line => /^[a-z-]+: \S/.test(line));
    const body = await readFile(join(this.#project, 'parcel.json'), 'utf8');
    const request = ['POST /webhooks/acme HTTP/1.1', ...headers, '', body].join('\n');
    await writeFile(join(this.#project, 'request.http'), request);
    expect(await this.#run('npm run holdfast -- verify request.http --source acme')).toContain('Genuine: Acme');
    await writeFile(join(this.#project, 'request.http'), request.replace('sent', 'lost'));
    expect(await this.#fails('npm run holdfast -- verify request.http --source acme')).toContain('Not genuine');
  }

  /** What docs/runbooks/README.md calls a rehearsal, ended by the runbook that its page names. */
  async #incident(): Promise<void> {
    const guide = await readFile(join(REPOSITORY, 'docs/runbooks/README.md'), 'utf8');
    const rehearse = /`(npm run drill -- dead-letter --hands-on)`/.exec(guide)?.[1] ?? '';
    const drill = this.#shell(rehearse);
    try {
      await this.#step('an incident: until the page', () =>
        expect.poll(drill.said, { timeout: 6 * MINUTE_MS, interval: 200 }).toContain('Your turn'),
      );
      await this.#step('the incident, by its runbook', async () => {
        const [, open = ''] = /^ *Runbook: (.*)$/m.exec(drill.said()) ?? [];
        const runbook = await this.#run(open);
        const commands = [...runbook.matchAll(/`npm run holdfast -- ([^`]*)`/g)].map(it => it[1] ?? '');
        const [first = '', replay = '', close = ''] = [/^dlq ls/, /^replay <event>/, /^dlq close <event>/].map(
          each => commands.find(command => each.test(command)) ?? '',
        );
        expect(await this.#run(`npm run holdfast -- ${first}`)).toContain('effect_refused');
        // Whose account is there now, and whose never comes: those who keep the accounts say so.
        const [, late = '', test = ''] =
          /The account of (.*) was created .*? (evt_\S+) was a test/.exec(drill.said()) ?? [];
        const typed = (command: string, event: string, why: string): Promise<string> =>
          this.#run(`npm run holdfast -- ${command.replace('<event>', event).replace('"…"', `"${why}"`)} --yes`);
        for (const event of late.split(' and ')) await typed(replay, event, 'the account is there now');
        await typed(close, test, 'a test of ours');
        expect(await drill.closed, drill.said()).toBe(0);
        expect(drill.said()).toContain('You did all of it.');
      });
    } finally {
      drill.kill();
    }
  }

  /** docs/send/first-message.md, in the same project. */
  async #customer(): Promise<void> {
    const { files, commands } = await readGuide('send/first-message.md');
    const [local = ''] = files.get('gateway.config.ts')?.match(/local: \{.*\},/) ?? [];
    const config = join(this.#project, 'gateway.config.ts');
    await writeFile(config, (await readFile(config, 'utf8')).replace('local: {},', local));
    const receiver = String(await freePort());
    const atPort = (text = ''): string => text.replaceAll('4000', receiver);
    await writeFile(join(this.#project, 'receiver.ts'), atPort(files.get('receiver.ts')));
    await writeFile(join(this.#project, 'publish.ts'), files.get('publish.ts') ?? '');
    await this.#stop();
    const printed = await this.#step('switch sending on, and start again', () => this.#start());
    const exported = printed.find(line => line.startsWith('  export AWS_ENDPOINT_URL='));
    const ours = (text: string): string =>
      this.#combination.manager === 'pnpm' ? text.replace('npm install', 'pnpm add') : text;
    const script = ours(atPort([exported, ...commands.slice(2)].join('\n')));
    await this.#step('a customer with an endpoint gets a message', async () => {
      const shell = this.#shell(script);
      try {
        expect(await shell.exit, shell.said()).toBe(0);
        await expect.poll(shell.said, { timeout: MINUTE_MS }).toMatch(/^verified msg_/m);
        expect(shell.said()).not.toContain('refused');
      } finally {
        // With the receiver, which the script left running.
        shell.kill();
      }
    });
  }

  async #start(): Promise<readonly string[]> {
    const { printed, stop } = await startProject(this.#project, this.#port, this.#env);
    this.#stop = stop;
    expect(printed.at(-1)).toMatch(/^Events as they/);
    return printed;
  }

  async #step<T>(name: string, work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    const result = await work();
    this.seconds.set(name, (performance.now() - begun) / 1_000);
    return result;
  }

  async #run(line: string): Promise<string> {
    expect(line).not.toBe('');
    const { closed, said } = this.#shell(line);
    expect(await closed, `${line}\n${said()}`).toBe(0);
    return said();
  }

  async #fails(line: string): Promise<string> {
    const { closed, said } = this.#shell(line);
    expect(await closed, said()).not.toBe(0);
    return said();
  }

  /** Typed into a terminal of its own, in the project. */
  #shell(script: string) {
    const options = { cwd: this.#project, env: this.#env, detached: true } as const;
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk));
    const codeAt = async (event: 'exit' | 'close'): Promise<number | null> => (await once(shell, event))[0];
    // Only at the close has it said all. What it left running keeps it from closing.
    const [exit, closed] = [codeAt('exit'), codeAt('close')];
    const kill = (): void => {
      try {
        if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL');
      } catch {
        // Nothing of it is left.
      }
    };
    return { exit, closed, said: () => text, kill };
  }
}

/** The table of test/RESULTS.md: a column for each combination that this run has lived to its end. */
async function writeSeconds(
  hours: readonly { readonly name: string; readonly seconds: ReadonlyMap<string, number> }[],
  at: Date,
): Promise<void> {
  const path = join(REPOSITORY, 'test/RESULTS.md');
  const steps = [...(hours[0]?.seconds.keys() ?? [])];
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const of = (step: string) => hours.map(({ seconds }) => (seconds.get(step) ?? Number.NaN).toFixed(1));
  const sum = hours.map(({ seconds }) => [...seconds.values()].reduce((total, each) => total + each, 0).toFixed(0));
  const table = [
    row(['step', ...hours.map(({ name }) => name)]),
    row(['---', ...hours.map(() => '---:')]),
    ...steps.map(step => row([step, ...of(step)])),
    row(['all', ...sum]),
  ].join('\n');
  const text = `\nOf ${at.toISOString().slice(0, 10)}, in seconds.\n\n${table}\n`;
  await writeFile(path, withBlock(await readFile(path, 'utf8'), 'first-hour', text));
}
