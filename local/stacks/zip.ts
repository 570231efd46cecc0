import { crc32 } from 'node:zlib';

export interface ZippedFile {
  /** Relative, with `/`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** 1980-01-01: the same files are the same bytes. */
const DATE = 0x21;
const READABLE = 0o100644 * 0x10000;

/** A zip of files that are stored, not compressed: for an AWS on this machine (PKWARE APPNOTE.TXT 4.3). */
export function zip(files: readonly ZippedFile[]): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of files) {
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = [word(LOCAL), common, path, Buffer.from(bytes)];
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(READABLE, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(word(CENTRAL), half(VERSION), common, rest, path);
    parts.push(...local);
    offset += local.reduce((sum, part) => sum + part.length, 0);
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, word(END), end]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function half(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
