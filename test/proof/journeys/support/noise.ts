import { createHash } from 'node:crypto';

/** Text of at least `characters` characters that hardly compresses, the same every time. */
export function noise(characters: number): string {
  const parts: string[] = [];
  for (let n = 0; parts.length * 86 < characters; n++)
    parts.push(createHash('sha512').update(String(n)).digest('base64url'));
  return parts.join('');
}
