import { hkdfSync } from 'node:crypto';
import type { MasterSecret } from './aes-sealer.ts';

/** Keys under which portal tokens are signed, out of the master secret; the one before it verifies what it signed. */
export function portalKeys({ current, previous }: MasterSecret): readonly Uint8Array[] {
  const masters = previous === undefined ? [current] : [current, previous];
  return masters.map(master => new Uint8Array(hkdfSync('sha256', master, '', 'holdfast portal tokens', 32)));
}
