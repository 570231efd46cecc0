/** What a function makes of the master secret of its environment, which may be rotated while it lives. */
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { Credential } from '#adapters/secrets/secret-credential.ts';
import { given } from '#core/given.ts';
import type { Sealer } from '#core/outbound/ports.ts';
import { aesSealer } from './aes-sealer.ts';
import { portalKeys } from './portal-keys.ts';

export interface MasterKeys {
  readonly sealer: Sealer;
  /** As `portalKeys`, of now. */
  portalKeys(): readonly Uint8Array[];
  /** Before each invocation: reads the secret again where it is five minutes old. Never throws: what is known will do. */
  refresh(): Promise<void>;
}

/** Throws DependencyError when the secret cannot be read, and an error where it is none. */
export async function masterKeys(credential: Pick<Credential, 'get'>): Promise<MasterKeys> {
  let known = keysOf(await credential.get());
  const sealer: Sealer = {
    seal: (plain, about) => known.sealer.seal(plain, about),
    open: (sealed, about) => known.sealer.open(sealed, about),
    isCurrent: (sealed, about) => known.sealer.isCurrent(sealed, about),
    get keyName() {
      return known.sealer.keyName;
    },
  };
  const refresh = async (): Promise<void> => {
    try {
      const text = await credential.get();
      if (text !== known.text) known = keysOf(text);
    } catch {
      // An outage, or a text mistyped by hand: the last good one.
    }
  };
  return { sealer, portalKeys: () => known.portalKeys, refresh };
}

function keysOf(text: string) {
  const result = parseSecret(text);
  if (result.kind !== 'secret')
    throw new Error(
      'the master secret has no value: the data stack makes it once, with the secret; put the earlier value back',
    );
  const { current, previous } = result.secret;
  const master = { current, ...given({ previous }) };
  return { text, sealer: aesSealer(master), portalKeys: portalKeys(master) };
}
