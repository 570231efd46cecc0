/** Secrets that leave an environment: encrypted to the public key (age) that a person gives, and noted with who took them. */
import { ageDecrypt, ageEncrypt, isAgeIdentity, isAgeRecipient } from '#adapters/crypto/age.ts';
import type { EpochMs } from '#core/glossary.ts';
import { toIso } from '#core/time.ts';
import { explainKnown } from './explain-error.ts';
import type { Operator } from './operator.ts';
import { OperatorError, usageError } from './operator-error.ts';

/** Behind the name of an export: its secrets. */
export const SECRETS_FILE = '.secrets.age';

const PRIVATE = /^age-secret-key-/i;
const ALLOWED = 'a public key of age (age1…)';

/** Throws OperatorError (usage) for what is no public key, and repeats none that might be a secret. */
export async function checkRecipient(given: string | true): Promise<string> {
  if (given === true || given === '')
    throw usageError(
      '--secrets without a key',
      ALLOWED,
      'age-keygen -o key.txt makes a pair and prints the public one',
    );
  if (PRIVATE.test(given))
    throw usageError(
      '--secrets: this is a private key. It is in the history of your shell now',
      ALLOWED,
      'make another pair (age-keygen -o key.txt), and give the public one',
    );
  if (await isAgeRecipient(given)) return given;
  const shown = /^age1[0-9a-z]*$/.test(given) ? `${given.slice(0, 12)}…` : `a text of ${given.length} characters`;
  throw usageError(
    `--secrets: ${shown} is no key, or not whole`,
    ALLOWED,
    'copy it whole: age-keygen -y key.txt prints it',
  );
}

export interface SecretsTaken {
  readonly at: EpochMs;
  readonly by: string;
  /** Of what: `endpoints` or `sources`. */
  readonly of: 'endpoints' | 'sources';
  readonly count: number;
  /** The public key. */
  readonly to: string;
}

const TAKEN = 'secrets-taken#';

/** Encrypts, and notes the act before anybody has the text. */
export async function sealSecrets(
  operator: Operator,
  recipient: string,
  { of, secrets }: { readonly of: SecretsTaken['of']; readonly secrets: Readonly<Record<string, unknown>> },
): Promise<string> {
  const { control, clock, ids } = await operator.gateway();
  const sealed = await ageEncrypt(recipient, JSON.stringify({ [of]: secrets }));
  const act: SecretsTaken = { at: clock.now(), by: operator.by, of, count: Object.keys(secrets).length, to: recipient };
  if (!(await control.write(`${TAKEN}${toIso(act.at)}#${ids.uuid()}`, JSON.stringify(act), 0)))
    throw new OperatorError('The act could not be noted, so no secret was written: run it again');
  return `${sealed.trimEnd()}\n`;
}

/** The last few acts, newest first. */
export async function secretsTaken(operator: Operator, limit: number): Promise<readonly SecretsTaken[]> {
  const { control } = await operator.gateway();
  const names = (await control.list(TAKEN)).slice(-limit).reverse();
  const found = await Promise.all(names.map(name => control.read(name)));
  return found.flatMap(it => (it === undefined ? [] : [JSON.parse(it.value) as SecretsTaken]));
}

/** What was sealed of one kind. `identity`: the text of a file of private keys. Throws OperatorError (usage), without a word of either. */
export async function openSecrets<T>(
  of: SecretsTaken['of'],
  sealed: string,
  identity: string,
): Promise<Readonly<Record<string, T>>> {
  const keys = identity
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'));
  for (const key of keys)
    if (!(await isAgeIdentity(key)))
      throw usageError(
        '--identity: the file holds something else than private keys of age',
        'lines of AGE-SECRET-KEY-1…, and comments behind #',
        PRIVATE.test(key) ? 'the key is not whole: copy the file again' : 'give the file that age-keygen -o made',
      );
  const text = keys.length === 0 ? undefined : await ageDecrypt(keys, sealed);
  const opened = text === undefined ? undefined : (JSON.parse(text) as Readonly<Record<string, unknown>>)[of];
  if (typeof opened === 'object' && opened !== null) return opened as Readonly<Record<string, T>>;
  if (text !== undefined)
    throw usageError(`The file holds no secrets of ${of}`, `what --secrets wrote of ${of}`, 'give the other file');
  throw usageError(
    '--identity: no key in the file opens the secrets',
    'the private key of the public one that the export was given',
    'holdfast doctor names that public key, in the environment of the export; or the file was cut: copy it again',
  );
}

/** One sentence for whoever has no right to read secrets. */
export async function asSecretReader<T>(operator: Operator, rights: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const known = explainKnown(cause);
    if (known?.kind !== 'credentials' || (cause as Error).name === 'CredentialsProviderError') throw cause;
    throw new OperatorError(
      `You may not read secrets of ${operator.environment}: that needs ${rights}. Export without --secrets, or ask who may`,
      'credentials',
      { cause },
    );
  }
}
