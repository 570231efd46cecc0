/**
 * Texts in the format of age (age-encryption.org/v1), armored, as the program `age` reads them. The library is loaded by whoever
 * calls. No error of it is passed on: some repeat the key.
 */

const load = () => import('age-encryption');

/** Whether something can be encrypted to it: `age1…`. */
export async function isAgeRecipient(text: string): Promise<boolean> {
  const { Encrypter } = await load();
  return works(() => new Encrypter().addRecipient(text));
}

/** Whether it is a private key: `AGE-SECRET-KEY-1…`. */
export async function isAgeIdentity(text: string): Promise<boolean> {
  const { Decrypter } = await load();
  return works(() => new Decrypter().addIdentity(text));
}

/** Throws where `isAgeRecipient` is false. */
export async function ageEncrypt(recipient: string, text: string): Promise<string> {
  const { armor, Encrypter } = await load();
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return armor.encode(await encrypter.encrypt(text));
}

/** Undefined: none of the private keys opens it, or it is not whole. */
export async function ageDecrypt(identities: readonly string[], armored: string): Promise<string | undefined> {
  const { armor, Decrypter } = await load();
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  try {
    return await decrypter.decrypt(armor.decode(armored), 'text');
  } catch {
    return undefined;
  }
}

function works(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
