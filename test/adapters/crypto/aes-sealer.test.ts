import { aesSealer } from '#adapters/crypto/aes-sealer.ts';
import { sealerContract } from '../contracts/sealer.contract.ts';

const MASTER = 'm'.repeat(43);
const OTHER = 'n'.repeat(43);

sealerContract('AES-256-GCM', {
  make: () => aesSealer({ current: MASTER }),
  other: () => aesSealer({ current: OTHER }),
  rotated: () => aesSealer({ current: OTHER, previous: MASTER }),
});
