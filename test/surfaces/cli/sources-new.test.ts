/**
 * `holdfast sources new`: what it writes for each way to sign is a provider that the check of gateway.config.ts takes, and
 * a request that is signed so is genuine; another one is not.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import { providerProblems, signWebhook } from 'holdfast/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import type { ProviderSpec, SchemeAlgorithm } from '#core/provider/provider-spec.ts';
import { signatureHeadersOf } from '#core/provider/spec-defaults.ts';
import { checkSpec } from '#core/verification/check-spec.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import { HOLDFAST_DIRECTORY } from '#local/shell/workspace.ts';
import { providerTestText, providerText } from '#operator/sources/provider-files.ts';
import { SCHEME_EXAMPLES } from '#operator/sources/scheme-examples.ts';
import { PROVIDERS } from '#providers/index.ts';
import { CliWorld } from './cli-world.ts';

mkdirSync(HOLDFAST_DIRECTORY, { recursive: true });
// Inside the repository, so that what is written finds `holdfast`.
const root = mkdtempSync(join(HOLDFAST_DIRECTORY, 'sources-new-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const cli = new CliWorld();
const NOW = Date.parse('2026-11-27T12:00:00Z');

async function written(id: string, ...options: string[]): Promise<ProviderSpec> {
  const folder = join(root, id);
  const { code, stderr } = await cli.run(['sources', 'new', id, '--folder', folder, ...options]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Next: npm test')]);
  const module: Record<string, ProviderSpec> = await import(pathToFileURL(join(folder, `providers/${id}.ts`)).href);
  return Object.values(module)[0] as ProviderSpec;
}

const PRIVATE_KEYS: Partial<Record<SchemeAlgorithm, () => ReturnType<typeof generateKeyPairSync>>> = {
  ed25519: () => generateKeyPairSync('ed25519'),
  'ecdsa-p256-sha256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'rsa-sha1': () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  'rsa-sha256': () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
};

/** As a provider shows it: Ed25519 as hex, the others as PEM. */
function publicKeyText(alg: SchemeAlgorithm, key: KeyObject): string {
  if (alg !== 'ed25519') return String(key.export({ format: 'pem', type: 'spki' }));
  return key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
}

describe.each(Object.keys(SCHEME_EXAMPLES) as SchemeAlgorithm[])('--alg %s', alg => {
  const id = `acme-${alg.replaceAll('-', '')}`;

  it('is a provider by which a genuine request is told from a forged one', async () => {
    const spec = await written(id, '--alg', alg);
    expect(spec.verify.map(scheme => scheme.alg)).toEqual([alg]);
    expect(checkSpec(spec)).toEqual([]);
    const gateway = defineGateway({ sources: { own: { provider: spec } }, environments: { local: {} } });
    expect(resolveDeployment(gateway, 'local', PROVIDERS).sources[0]?.source.spec).toEqual(spec);

    const keys = PRIVATE_KEYS[alg]?.();
    const secret = alg === 'basic' ? 'user:password' : 'a secret of thirty-two characters';
    const body = { id: 'evt_1', type: 'thing.happened' };
    const signed = signWebhook({
      provider: spec,
      body,
      at: NOW,
      ...(keys ? { privateKey: keys.privateKey } : { secret }),
    });
    const current = keys === undefined ? secret : publicKeyText(alg, keys.publicKey as KeyObject);
    const judge = async (headers: Readonly<Record<string, string>>) => {
      const request = { method: 'POST', rawQuery: '', headers, body: signed.body, sourceIp: '192.0.2.1' };
      const context = { secret: { current }, nowMs: NOW, settings: {}, crypto: nodeCrypto };
      return (await verifyRequest(spec, request, context)).kind;
    };
    expect(await judge(signed.headers)).toBe('verified');
    for (const name of signatureHeadersOf(spec)) {
      const value = signed.headers[name] ?? '';
      expect(await judge({ ...signed.headers, [name]: `${value.slice(0, -6)}AAAA${value.slice(-2)}` }), name).not.toBe(
        'verified',
      );
    }
  });
});

it('its files are a provider, an event that `send` sends, and a test of its identity', async () => {
  const spec = await written('box-office');
  expect(spec).toMatchObject({ id: 'box-office', title: 'Box Office' });
  expect(signatureHeadersOf(spec)).toEqual(['x-box-office-signature', 'x-box-office-timestamp']);
  const folder = join(root, 'box-office');
  expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual([
    'providers',
    'providers/box-office.ts',
    'providers/samples',
    'providers/samples/box-office.json',
    'test',
    'test/box-office-provider.test.ts',
  ]);
  const { events } = JSON.parse(readFileSync(join(folder, 'providers/samples/box-office.json'), 'utf8'));
  const bodies = ['evt_1', 'evt_2'].map(event => ({ body: { ...events[0].body, id: event } }));
  expect(providerProblems({ provider: spec, distinct: bodies })).toEqual([]);
  expect(readFileSync(join(folder, 'test/box-office-provider.test.ts'), 'utf8')).toContain(
    "import { boxOffice } from '../providers/box-office.ts';",
  );
});

/** ECMAScript's reserved words, those of modules in strict mode among them, and what TypeScript lets nobody declare. */
const RESERVED =
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  );
/** Of the files themselves, and of gateway.config.ts. */
const TAKEN = ['all', 'define-gateway', 'event', 'expect', 'gateway', 'it', 'provider-by-id', 'provider-problems'];

it.each([...RESERVED, ...TAKEN, 'async', 'of', 'template', 'type'])('%s makes files that are code', async id => {
  const own = providerTestText(id);
  const [, name = ''] = /import \{ (\w+) \} from '\.\.\/providers/.exec(own) ?? [];
  const config = `import { ${name} } from './providers/${id}.ts';
    import { defineGateway } from 'holdfast';
    export const gateway = defineGateway({ sources: { own: { provider: ${name} } }, environments: {} });`;
  const index = `import { ${name} } from './${id}.ts'; const all = [${name}]; export function providerById() { return all; }`;
  const provider = providerText({ id, alg: 'hmac-sha256', today: '2026-11-27' });
  expect(provider).toContain(`const ${name}: ProviderSpec = {\n  id: '${id}',`);
  for (const text of [provider, own, config, index]) await transform(text, { loader: 'ts' });
  expect([...RESERVED, 'all', 'event', 'expect', 'it']).not.toContain(name);
});

it.each([
  [['Acme'], '"Acme" is no id of a provider'],
  [['../acme'], 'is no id of a provider'],
  [['stripe'], "fix:     use it: stripe: { provider: 'stripe' }"],
  [['acme', '--alg', 'hmac-sha265'], 'did you mean hmac-sha256?'],
])('%j writes nothing, and says what to do', async (args, said) => {
  const folder = join(root, 'none');
  const { code, stderr } = await cli.run(['sources', 'new', ...args, '--folder', folder]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  expect(existsSync(folder)).toBe(false);
});

it('a file that is there stays', async () => {
  await written('kept');
  const { code, stderr } = await cli.run(['sources', 'new', 'kept', '--folder', join(root, 'kept')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('providers/kept.ts is there already')]);
});

it.each(['constructor', '__proto__'])('`sources page %s` knows no such provider', async id => {
  const { code, stderr } = await cli.run(['sources', 'page', id]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`"${id}"`)]);
});

it('`sources page` prints what a description says', async () => {
  const { code, stdout } = await cli.run(['sources', 'page', 'stripe']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^# Stripe\n[\s\S]*HMAC-SHA256 of `\{ts\}\.\{body\}`/)]);
});
