import fc from 'fast-check';

/** As many code points are halves of pairs, which no text has alone. */
const HALVES = 0x800;

/**
 * Any character, as the unit `binary` of fast-check's texts: that one makes a table of all million characters first, a
 * second of CPU in each process.
 */
export const anyCharacter = fc.nat(0x10ffff - HALVES).map(
  at => String.fromCodePoint(at < 0xd800 ? at : at + HALVES),
  // By which fast-check puts texts that are dangerous (`__proto__`) among the others.
  text => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== text) throw new TypeError('not one character');
    return code < 0xd800 ? code : code - HALVES;
  },
);
