/**
 * AWS's own signer, made once for a client and with its keys kept. Left to itself the SDK makes one for each call, and hands each
 * key to Node as bytes, which Node first takes for a key object and then makes one of. Signing takes half the CPU so.
 */
import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { clientSettings } from './client-settings.ts';

type Settings = Pick<ReturnType<typeof clientSettings>, 'region' | 'credentials'>;

/** For a client of `service`, by its name in a signature. */
export function keptSigner<Given extends Settings>(
  service: 'dynamodb' | 'sqs' | 'secretsmanager',
  settings: Given,
): Given & { readonly signer: SignatureV4 } {
  const { region, credentials } = settings;
  return { ...settings, signer: new SignatureV4({ service, region, credentials, sha256: KeptKeySha256 }) };
}

type Key = string | ArrayBuffer | ArrayBufferView;

/** The secret of the role, which is one. */
let text: { readonly secret: string; readonly key: KeyObject } | undefined;
/** Signing keys of a day, for as long as the signer keeps them. */
const bytes = new WeakMap<object, KeyObject>();

function keyOf(secret: Key): KeyObject {
  if (typeof secret === 'string') {
    if (text?.secret !== secret) text = { secret, key: createSecretKey(Buffer.from(secret)) };
    return text.key;
  }
  let key = bytes.get(secret);
  if (key === undefined) {
    key = createSecretKey(ArrayBuffer.isView(secret) ? (secret as Uint8Array) : new Uint8Array(secret));
    bytes.set(secret, key);
  }
  return key;
}

/** SHA-256, or an HMAC under `secret`, as the signer asks for it: once. */
export class KeptKeySha256 {
  readonly #hash: { update(data: Uint8Array): unknown; digest(): Buffer };

  constructor(secret?: Key) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', keyOf(secret));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}
