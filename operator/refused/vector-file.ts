/** Signature vectors, as test/fixtures/own-vectors.json has them: a request, its secret, and what must come out. */

import { given } from '#core/given.ts';
import type { SourceSecret } from '#core/ports.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { usageError } from '#operator/operator-error.ts';

export interface SignatureVector {
  readonly id: string;
  readonly provider: string | undefined;
  readonly request: RawRequest;
  readonly secret: SourceSecret | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly publicUrl: string | undefined;
  /** When it was signed; absent where the scheme has no time. */
  readonly nowMs: number | undefined;
  readonly isGenuine: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** One vector, or those of `{ "vectors": [...] }`. Undefined when the bytes are no JSON object. Throws OperatorError (usage). */
export function readVectors(bytes: Buffer): readonly SignatureVector[] | undefined {
  if (!/^\s*\{/.test(bytes.subarray(0, 64).toString('latin1'))) return undefined;
  const file = parse(bytes);
  return Array.isArray(file['vectors']) ? file['vectors'].map(readVector) : [readVector(file, 0)];
}

function parse(bytes: Buffer): Fields {
  try {
    return JSON.parse(bytes.toString('utf8')) as Fields;
  } catch (error) {
    throw usageError(
      `The file is not JSON: ${(error as Error).message}`,
      'vectors in JSON, or a captured request',
      'correct the file',
    );
  }
}

function readVector(value: unknown, at: number): SignatureVector {
  const vector = value as Fields;
  const {
    id = `vector ${at + 1}`,
    provider,
    headers,
    bodyBase64,
    method = 'POST',
    url,
    now,
    expect = 'valid',
  } = vector;
  if (typeof headers !== 'object' || headers === null || typeof bodyBase64 !== 'string')
    throw usageError(
      `${String(id)} has no headers or no bodyBase64`,
      '{ provider, secret, headers, bodyBase64, method?, url?, now?, config?, expect? }',
      'look at test/fixtures/own-vectors.json',
    );
  const [current, previous] = [vector['secret'] ?? vector['publicKey'] ?? []].flat() as string[];
  const [publicUrl, rawQuery = ''] = typeof url === 'string' ? url.split(/\?(.*)/s) : [];
  return {
    id: String(id),
    provider: typeof provider === 'string' ? provider : undefined,
    request: {
      method: String(method),
      rawQuery,
      headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), String(text)])),
      body: Buffer.from(bodyBase64, 'base64'),
      sourceIp: '127.0.0.1',
    },
    secret: current === undefined ? undefined : { current, ...given({ previous }) },
    settings: (vector['config'] ?? {}) as Readonly<Record<string, string>>,
    publicUrl,
    nowMs: typeof now === 'number' ? now * 1_000 : undefined,
    isGenuine: expect !== 'invalid',
  };
}
