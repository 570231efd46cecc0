/** `holdfast sources`: pairing windows and published address ranges. */
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { shapeOf } from '#core/inbound/drift/shape.ts';
import { encodeShape } from '#core/inbound/drift/stored-shape.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { rangesIn, withRanges } from '#operator/sources/address-ranges.ts';
import { fetchList } from '#operator/sources/fetch-list.ts';
import { PROVIDERS } from '#providers/index.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS } from '#test/kit/memory-world.ts';
import { type HttpsServer, startHttpsServer } from '#test/kit/servers/https-server.ts';
import { type CliOptions, type CliResult, CliWorld, temporaryFile } from './cli-world.ts';

const github: ProviderSpec = {
  ...PROVIDERS['github'],
  ips: { ...PROVIDERS['github']?.ips, from: 'https://keys.example.com/meta' },
} as ProviderSpec;
const paper: ProviderSpec = {
  ...github,
  id: 'paper',
  ips: { ranges: ['192.0.2.0/24'], readOn: '2026-01-02', from: 'https://paper.example/addresses' },
};
const GATEWAY = defineGateway({
  sources: {
    code: { provider: github, allowList: ['140.82.112.0/20', '192.30.252.0/22'] },
    letters: { provider: paper },
    tasks: { provider: 'asana' },
    pages: { provider: 'notion' },
    shop: { provider: 'generic' },
  },
  environments: { local: {} },
});
const readDeployment = (name: string) => resolveDeployment(GATEWAY, name, PROVIDERS);

let cli: CliWorld;
beforeEach(() => {
  cli = new CliWorld();
});
const run = (args: readonly string[], options: CliOptions = {}): Promise<CliResult> =>
  cli.run(['sources', ...args], { readDeployment, ...options });

describe('sources ips --refresh', () => {
  let server: HttpsServer;
  let answer: { status: number; text: string };
  let asked: (string | undefined)[];
  let directory: string;
  beforeAll(async () => {
    server = await startHttpsServer((request, response) => {
      asked.push(`${request.headers['user-agent']} ${request.url}`);
      response.writeHead(answer.status).end(answer.text);
    });
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    asked = [];
    answer = {
      status: 200,
      text: '{"hooks":["192.30.252.0/22","203.0.113.9","2001:db8::1"],"web":["198.51.100.0/24"]}',
    };
    directory = mkdtempSync(join(tmpdir(), 'holdfast-providers-'));
    cpSync('providers/github.ts', join(directory, 'github.ts'));
    return () => rmSync(directory, { recursive: true });
  });
  const refresh = (args: readonly string[] = []): Promise<CliResult> =>
    run(['ips', ...args, '--refresh', '--json'], {
      realTime: true,
      publishedLists: { fetchText: fetchList(server.agent), directory },
    });
  const kept = (): string => readFileSync(join(directory, 'github.ts'), 'utf8');

  it('fetches the published list, and writes it with its date into the file of the provider', async () => {
    const { code, stdout } = await refresh(['code']);
    expect(code).toBe(0);
    expect(asked).toEqual([expect.stringMatching(/^holdfast\/\d+\.\d+\.\d+ \/meta$/)]);
    const [view] = (JSON.parse(stdout) as { providers: unknown[] }).providers;
    const ranges = ['192.30.252.0/22', '203.0.113.9/32', '2001:db8::1/128'];
    expect(view).toMatchObject({
      provider: 'github',
      outcome: 'refreshed',
      ranges,
      read_on: '2026-01-05',
      added: ranges.slice(1),
      refused: { code: ranges.slice(1) },
    });
    expect(kept()).toContain(
      "  ips: {\n    ranges: ['192.30.252.0/22', '203.0.113.9/32', '2001:db8::1/128'],\n    readOn: '2026-01-05',\n    from: 'https://api.github.com/meta',\n    at: 'hooks',\n  },\n",
    );
    // Nothing else in the file has changed.
    const without = (text: string): string => text.replace(/ {2}ips: \{[\s\S]*?\n {2}\},\n/, '');
    expect(without(kept())).toBe(without(readFileSync('providers/github.ts', 'utf8')));
  });

  it.each([
    [{ status: 500, text: '' }, 'answered 500'],
    [{ status: 302, text: '' }, 'answered 302'],
    [{ status: 200, text: '<html>' }, 'is not JSON'],
    [{ status: 200, text: '{"hooks":[]}' }, 'no list of address ranges at "hooks"'],
    [{ status: 200, text: '{"hooks":["0.0.0.0/0"]}' }, 'no list of address ranges'],
    [{ status: 200, text: `{"hooks":["192.0.2.1'] }; evil()//"]}` }, 'no list of address ranges'],
  ])('keeps what is there when the answer is %j', async (bad, problem) => {
    answer = bad;
    const before = kept();
    const { code, stdout, stderr } = await refresh(['code']);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
    expect(JSON.parse(stdout)).toMatchObject({ providers: [{ outcome: 'failed', ranges: github.ips?.ranges }] });
    expect(kept()).toBe(before);
  });

  it('says 5 when some could not be fetched, and points to a list that only people can read', async () => {
    answer = { status: 503, text: '' };
    const { code, stderr } = await refresh();
    expect(code).toBe(5);
    expect(stderr).toContain('paper: compare the ranges with https://paper.example/addresses');
  });

  it('does not guess in a file that was written differently', async () => {
    writeFileSync(join(directory, 'github.ts'), 'export const github = makeSpec({ ips: [] });\n');
    expect((await refresh(['code'])).stderr).toContain('by hand');
  });
});

describe('sources ips', () => {
  it('prints the ranges of one source for the allow list, and warns of those it refuses', async () => {
    const { code, stdout, stderr } = await run(['ips', 'code']);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toEqual(github.ips?.ranges);
    expect(stderr).toMatch(/code: its allowList would answer 403 to 185\.199\.108\.0\/22, 143\.55\.64\.0\/20, /);
  });

  it('lists the providers with the date, and says 3 where nothing is published', async () => {
    const { stdout } = await run(['ips', '--all']);
    expect(stdout).toMatch(/paper +letters +1 +2026-01-02 +kept +https:\/\/paper\.example/);
    expect(stdout).toMatch(/stripe +- +15 /);
    expect(await run(['ips', 'shop'])).toMatchObject({ code: 3, stdout: '' });
  });

  it('reads lists of every shape that providers publish', () => {
    const from = 'https://x.example';
    expect(rangesIn('{"data":{"v4":["192.0.2.1"]}}', { from, at: 'data.v4' })).toEqual(['192.0.2.1/32']);
    expect(rangesIn('{"eu":["192.0.2.1"],"us":["192.0.2.2","192.0.2.1"]}', { from, at: '*' })).toHaveLength(2);
    expect(rangesIn('{"a":[{"ip":"::1"}]}', { from, at: 'a.*.ip' })).toEqual(['::1/128']);
  });

  it('can rewrite every file that has a published list, to the same text when nothing changed', () => {
    const listed = Object.values(PROVIDERS).filter(spec => spec.ips?.at !== undefined);
    expect(listed.length).toBeGreaterThanOrEqual(3);
    for (const { id, ips } of listed) {
      const code = readFileSync(`providers/${id}.ts`, 'utf8');
      expect(withRanges(code, ips?.ranges ?? [], ips?.readOn ?? ''), id).toBe(code.replace('    copied: true,\n', ''));
    }
  });
});

describe('sources pair', () => {
  const name = 'holdfast/local/pages';
  const notSet = () => cli.vault.stored.set(name, { kind: 'empty' });
  const stored = () => cli.vault.stored.get(name)?.text;

  it('opens a window, waits for the secret and writes it to a file that only its owner can read', async () => {
    notSet();
    const out = temporaryFile('notion.token');
    const brought = cli.world.clock.sleep(5_000).then(() => {
      expect(JSON.parse(stored() ?? '')).toEqual({ pairingUntil: cli.world.clock.now() - 5_000 + 900_000 });
      return cli.vault.write(name, 'secret_the-token-of-notion');
    });
    const { code, stdout, stderr } = await run(['pair', 'pages', '--out', out]);
    await brought;
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('pages is paired') });
    expect(stderr).toContain('https://gateway.test/webhooks/pages');
    expect(readFileSync(out, 'utf8')).toBe('secret_the-token-of-notion\n');
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(stdout + stderr).not.toContain('the-token-of-notion');
  });

  it('says 1 when nothing came in time, and closes by itself', async () => {
    notSet();
    const { code, stdout, stderr } = await run(['pair', 'pages', '--for', '1m']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'Nothing came: the window of pages is closed\n' });
    expect(stderr).toMatch(/Waiting for the provider, 0 the window is open for \d+ s more/);
    expect((await run(['ls'])).stdout).toMatch(/pages +notion +empty/);
  });

  it('is shown while it is open, by ls and by doctor', async () => {
    for (const source of ['pages', 'tasks', 'code', 'letters', 'shop']) {
      cli.vault.stored.set(`holdfast/local/${source}`, { kind: 'set', text: 'a-secret-of-some-length', changedAt: 0 });
    }
    notSet();
    expect((await run(['ls'])).stderr).toContain('holdfast sources pair pages');
    expect((await run(['pair', 'pages', '--no-wait', '--json'])).stdout).toContain('"secret":"pairing"');
    expect((await run(['ls'])).stdout).toMatch(/pages +notion +pairing/);
    expect((await cli.run(['doctor'], { readDeployment })).stdout).toMatch(
      /WRONG +secret pages +waiting for its provider[^\n]*\n +holdfast sources pair pages/,
    );
  });

  it('never touches a secret that is there, unless told to forget it', async () => {
    cli.vault.stored.set(name, { kind: 'set', text: 'the present one', changedAt: 0 });
    const refused = await run(['pair', 'pages', '--no-wait']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--replace');
    expect((await run(['pair', 'pages', '--no-wait', '--replace'])).stderr).toContain('--yes');
    expect(stored()).toBe('the present one');
    expect((await run(['pair', 'pages', '--no-wait', '--replace', '--yes'])).code).toBe(0);
    expect(stored()).toMatch(/^\{"pairingUntil":\d{13}\}$/);
  });

  it.each([
    [['shop'], 2, 'sources of Asana, Notion'],
    [['pages', '--for', '2d'], 2, 'from 1s to 24h'],
    [['tasks'], 3, 'not deployed yet'],
  ])('answers %j with %i', async (args, code, hint) => {
    const answer = await run(['pair', ...args, '--no-wait']);
    expect(answer).toMatchObject({ code, stdout: '' });
    expect(answer.stderr).toContain(hint);
  });
});

describe('a stored secret that somebody mistyped', () => {
  it.each(['{"curent":"a","previous":"b"}', '{"kty":"OKP"}', '{"current":"a",}'])(
    'is not stored by our own command, which would end all requests: %s',
    async text => {
      const cli = new CliWorld();
      const before = cli.vault.stored.get('holdfast/local/shop');
      const refused = await cli.run(['sources', 'set-secret', 'shop', '--yes'], { stdin: `${text}\n` });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('"current"') });
      expect(refused.stderr).not.toContain('kty');
      expect(cli.vault.stored.get('holdfast/local/shop')).toBe(before);
      const inside = JSON.stringify({ current: text });
      expect((await cli.run(['sources', 'set-secret', 'shop', '--yes'], { stdin: inside })).code).toBe(0);
      expect(parseSecret(cli.vault.stored.get('holdfast/local/shop')?.text)).toMatchObject({
        secret: { current: text },
      });
    },
  );

  const name = 'holdfast/local/shop';

  it('is shown as such beside the others, and replaced by a good one', async () => {
    cli.vault.stored.set(name, { kind: 'set', text: '{"current":"a"', changedAt: 0 });
    const { code, stdout } = await run(['ls']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/shop +generic +malformed/)]);
    const rotated = await run(['rotate', 'shop', '--yes'], { stdin: 'a-new-secret\n' });
    expect(rotated).toMatchObject({ code: 1, stderr: expect.stringContaining('sources set-secret shop') });
    const sent = await cli.run(['send', 'shop'], { readDeployment });
    expect(sent).toMatchObject({ code: 1, stderr: expect.stringContaining('sources set-secret shop') });
    expect((await run(['set-secret', 'shop'], { stdin: 'a-new-secret\n' })).code).toBe(0);
    expect(cli.vault.stored.get(name)).toMatchObject({ text: 'a-new-secret' });
  });
});

describe('sources shapes', () => {
  it('lists the types with their last change, and the paths of one', async () => {
    const control = new MemoryControlStore(cli.world.database, EVENTS);
    const shape = shapeOf({ id: 'a', data: { amount: 1 } });
    const change = {
      at: cli.world.clock.now(),
      added: ['tax'],
      removed: [],
      changed: ['amount: number, now also string'],
    };
    await control.write('shapes#pay', 'invoice.paid', 0);
    const stored = encodeShape({ shape, learnUntil: 0, changes: [{ ...change, paths: 2 }] });
    await control.write('shape#pay#invoice.paid', stored, 0);
    const { stdout } = await cli.run(['sources', 'shapes', 'pay']);
    expect(stdout).toMatch(/invoice\.paid +3 +\S.*added tax; changed amount: number, now also string/);
    const paths = await cli.run(['sources', 'shapes', 'pay', '--type', 'invoice.paid']);
    expect(paths.stdout).toMatch(/data\.amount +number +always/);
    expect((await cli.run(['sources', 'shapes', 'shop'])).stdout).toBe('No event of it was seen yet.\n');
  });
});
