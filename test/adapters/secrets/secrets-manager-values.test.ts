/**
 * The real adapter and SDK against a server that speaks the three calls of Secrets Manager it makes. PutSecretValue follows
 * the API reference: a token whose version exists is refused, or, with the same value, ignored. BatchGetSecretValue takes
 * twenty names and tells why it does not tell one.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSecretsClient, SecretsManagerValues } from '#adapters/secrets/secrets-manager-values.ts';
import { DependencyError } from '#core/errors.ts';
import { toSourceId } from '#core/glossary.ts';

const asana = toSourceId('asana');
const MARKER = '{"pairingUntil":1767571200000}';

let server: Server;
let values: SecretsManagerValues;
let versions = new Map<string, string>();
let current: string | undefined;
let puts: string[] = [];
/** Awaited between reading a call and acting on it. */
let gate: (action: string) => Promise<void> = async () => {};
let broken = false;
/** What each name is told as by BatchGetSecretValue, by number of the call and name. */
let batches: string[][] = [];
let told = new Map<string, string | undefined>();
/** Numbers of the batches that are refused as a whole. */
let refused = new Set<number>();

function batch(names: string[]): { status: number; answer: object } {
  batches.push(names);
  if (refused.has(batches.length)) return { status: 400, answer: { __type: 'AccessDeniedException', message: 'no' } };
  if (names.length > 20) return { status: 400, answer: { __type: 'InvalidParameterException', message: 'too many' } };
  const found = names.filter(name => told.has(name));
  const missing = names.filter(name => !told.has(name));
  return {
    status: 200,
    answer: {
      // The answer keeps no order.
      SecretValues: found.toReversed().map(Name => ({ Name, SecretString: told.get(Name), VersionId: 'v1' })),
      Errors: missing.map(SecretId => ({ SecretId, ErrorCode: 'ResourceNotFoundException', Message: 'no such' })),
    },
  };
}

function put(token: string, text: string): { status: number; answer: object } {
  const known = versions.get(token);
  if (known !== undefined && known !== text) return { status: 400, answer: { __type: 'ResourceExistsException' } };
  versions.set(token, text);
  current = token;
  return { status: 200, answer: { VersionId: token } };
}

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', async () => {
      const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const input = JSON.parse(text) as Record<string, string>;
      await gate(action);
      let result: { status: number; answer: object };
      if (broken) result = { status: 400, answer: { __type: 'AccessDeniedException', message: 'no' } };
      else if (action === 'BatchGetSecretValue')
        result = batch((input as { SecretIdList?: string[] }).SecretIdList ?? []);
      else if (action === 'PutSecretValue') {
        puts.push(input['SecretId'] ?? '');
        result = put(input['ClientRequestToken'] ?? '', input['SecretString'] ?? '');
      } else if (current === undefined) result = { status: 400, answer: { __type: 'ResourceNotFoundException' } };
      else result = { status: 200, answer: { SecretString: versions.get(current), VersionId: current } };
      response.writeHead(result.status, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify(result.answer));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createSecretsClient({
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  });
  values = new SecretsManagerValues(client, { environment: 'prod' });
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

beforeEach(() => {
  versions = new Map([['0123456789abcdef0123456789abcdef', MARKER]]);
  current = '0123456789abcdef0123456789abcdef';
  puts = [];
  gate = async () => {};
  broken = false;
  batches = [];
  told = new Map();
  refused = new Set();
});

describe('reading several at once', () => {
  const sources = Array.from({ length: 45 }, (_, at) => toSourceId(`source-${at}`));
  const nameOf = (source: string): string => `holdfast/prod/${source}`;
  const textOf = (source: string): string => `of ${source}`;

  it('asks for twenty in a call, and gives each its own', async () => {
    for (const source of sources) told.set(nameOf(source), textOf(source));
    const found = await values.fetchMany(sources);
    expect(batches.map(names => names.length).sort()).toEqual([20, 20, 5]);
    expect(batches.flat().sort()).toEqual(sources.map(nameOf).sort());
    expect([...found].sort()).toEqual(sources.map(source => [source, textOf(source)]).sort());
  });

  it('leaves out what the answer does not hold, and what nobody asked for', async () => {
    told.set(nameOf('source-1'), 'one');
    // Bytes instead of a text.
    told.set(nameOf('source-2'), undefined);
    expect(await values.fetchMany(sources.slice(0, 3))).toEqual(new Map([['source-1', 'one']]));
    batches = [];
    told.set(nameOf('source-9'), 'of another');
    refused = new Set([1]);
    expect(await values.fetchMany(sources.slice(0, 3))).toEqual(new Map());
  });

  it('keeps what one call tells when another is refused', async () => {
    for (const source of sources) told.set(nameOf(source), textOf(source));
    refused = new Set([2]);
    const found = await values.fetchMany(sources);
    const answered = batches.filter((_, at) => at !== 1).flat();
    expect([...found.keys()].map(nameOf).sort()).toEqual(answered.sort());
  });

  it('is no error where nothing can be read', async () => {
    broken = true;
    expect(await values.fetchMany(sources)).toEqual(new Map());
  });
});

describe('replacing a stored secret', () => {
  it('writes under the name of the source when the expected text is stored', async () => {
    expect(await values.replace(asana, MARKER, 'brought')).toBe(true);
    expect(puts).toEqual(['holdfast/prod/asana']);
    expect(await values.fetch(asana)).toBe('brought');
  });

  it('writes nothing when something else, or nothing, is stored', async () => {
    expect(await values.replace(asana, 'other', 'brought')).toBe(false);
    current = undefined;
    expect(await values.replace(asana, MARKER, 'brought')).toBe(false);
    expect(puts).toEqual([]);
  });

  it('lets one of two writers win that both read the same version', async () => {
    let waiting: (() => void)[] = [];
    gate = action =>
      action === 'GetSecretValue'
        ? Promise.resolve()
        : new Promise(resolve => {
            // Both have read before either writes.
            waiting.push(resolve);
            if (waiting.length === 2) for (const go of waiting.splice(0)) go();
          });
    const results = await Promise.all(['one', 'two'].map(text => values.replace(asana, MARKER, text)));
    waiting = [];
    gate = async () => {};
    expect(results.toSorted()).toEqual([false, true]);
    expect(puts).toHaveLength(2);
    expect(await values.fetch(asana)).toBe(results[0] ? 'one' : 'two');
  });

  it('can be done again after a new window was opened', async () => {
    await values.replace(asana, MARKER, 'one');
    put('fedcba9876543210fedcba9876543210', MARKER);
    expect(await values.replace(asana, MARKER, 'two')).toBe(true);
    expect(await values.fetch(asana)).toBe('two');
  });

  it('throws when it is not known to have been done', async () => {
    broken = true;
    await expect(values.replace(asana, MARKER, 'brought')).rejects.toThrow(DependencyError);
  });
});
