/** `Codec` on node:zlib and Buffer. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Codec } from '#core/ports.ts';

export const nodeCodec: Codec = {
  toBase64: bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  fromBase64: text => Buffer.from(text, 'base64'),
  deflate: bytes => deflateRawSync(bytes),
  inflate: (bytes, limitBytes) => inflateRawSync(bytes, { maxOutputLength: limitBytes }),
};
