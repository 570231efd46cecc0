/**
 * `Codec` on node:zlib and Buffer. Bytes that were deflated with a dictionary begin with a tag and its number; all others
 * are plain raw deflate, whose first byte can never be the tag: it would announce block type 3, which does not exist
 * (RFC 1951, 3.2.3).
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { UnknownDictionaryError } from '#core/errors.ts';
import type { Codec } from '#core/ports.ts';
import { DICTIONARIES, type Dictionary } from './dictionaries/dictionaries.ts';

const TAG = 0b110;
const byId = new Map(DICTIONARIES.map(it => [it.id, it]));
const byProvider = new Map(DICTIONARIES.map(it => [it.provider, it]));

export const nodeCodec: Codec = {
  toBase64: bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  fromBase64: text => Buffer.from(text, 'base64'),
  deflate: (bytes, provider) => {
    const dictionary = provider === undefined ? undefined : byProvider.get(provider);
    return dictionary === undefined ? deflateRawSync(bytes) : deflateWith(dictionary, bytes);
  },
  inflate: (bytes, limitBytes) => {
    if (bytes[0] !== TAG) return inflateRawSync(bytes, { maxOutputLength: limitBytes });
    const dictionary = byId.get(bytes[1] ?? -1);
    if (dictionary === undefined) throw new UnknownDictionaryError(bytes[1], [...byId.keys()]);
    return inflateRawSync(bytes.subarray(2), { maxOutputLength: limitBytes, dictionary: dictionary.bytes() });
  },
};

function deflateWith({ id, bytes: dictionary }: Dictionary, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(TAG, id), deflateRawSync(bytes, { dictionary: dictionary() })]);
}
