/** Secrets of sources: set, rotate, and let a provider bring one. What a secret is stays in here and in the vault. */
import { randomBytes } from 'node:crypto';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import type { EpochMs } from '#core/glossary.ts';
import { secretName } from '#core/names.ts';
import { storesSecret } from '#core/provider/source-needs.ts';
import { usableSecret } from '#core/verification/check-spec.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError, usageError } from '#operator/operator-error.ts';
import { PROVIDERS } from '#providers/index.ts';
import { makeSecret } from './make-secret.ts';
import { commandToSet, mustExist, parsedOf, readStored, stateOf } from './stored-state.ts';

/** The state of a secret before it is changed. Throws OperatorError (not found) where there is no place for one. */
export async function secretBefore(operator: Operator, source: ResolvedSource): Promise<ReturnType<typeof stateOf>> {
  const stored = await read(operator, source);
  return stateOf(stored, operator.clock.now());
}

/** A new one of the form the provider takes. */
export function generateSecret(source: ResolvedSource): string {
  return makeSecret(source.spec, randomBytes(32));
}

/** Throws OperatorError (usage) for a text that cannot be a secret of this provider. */
export function checkSecret(source: ResolvedSource, secret: string): void {
  const problem = usableSecret(secret, source.spec);
  if (problem === undefined) return;
  const given = `This cannot be a secret of ${source.spec.title}: ${problem}`;
  throw usageError(given, 'the text as the provider shows it', 'copy it whole, prefix included');
}

/**
 * Functions use it within five minutes; requests signed with another are refused from then on. Throws OperatorError (usage)
 * for what they would take as mistyped.
 */
export async function setSecret(operator: Operator, source: ResolvedSource, secret: string): Promise<void> {
  if (parsedOf({ kind: 'set', text: secret }) === undefined)
    throw usageError(
      'This begins like an object of ours, and is none',
      'the text as the provider shows it',
      'give the text alone; one that is itself a JSON object goes into {"current": "…"}, as a text',
    );
  const { secrets } = await operator.gateway();
  await secrets.write(secretName(operator.deployment.config, source.id), secret);
}

/** The present secret, to be kept beside a new one. Throws OperatorError when there is none. */
export async function secretToRotate(operator: Operator, source: ResolvedSource): Promise<string> {
  const present = parsedOf(await read(operator, source));
  if (present?.kind === 'secret') return present.secret.current;
  const what = present === undefined ? 'a secret that somebody mistyped' : 'no secret to rotate';
  throw new OperatorError(`${source.id} has ${what}.\nSet one: ${operator.command(commandToSet(source))}`);
}

/** Both are valid until `graceUntil`, epoch ms. */
export function rotateSecret(
  operator: Operator,
  source: ResolvedSource,
  rotation: { readonly current: string; readonly previous: string; readonly graceUntil: EpochMs },
): Promise<void> {
  const { current, previous, graceUntil } = rotation;
  return setSecret(operator, source, JSON.stringify({ current, previous, previousNotAfter: graceUntil }));
}

/** Throws OperatorError (usage) for a provider that brings no secret itself. */
export function mustBringSecrets(operator: Operator, source: ResolvedSource): void {
  if (storesSecret(source.spec)) return;
  const who = Object.values(PROVIDERS).filter(storesSecret);
  throw usageError(
    `${source.id} is a source of ${source.spec.title}, which does not send its secret to us`,
    `pairing, only for sources of ${who.map(spec => spec.title).join(', ')}`,
    `set the secret yourself: ${operator.command(`sources set-secret ${source.id}`)}`,
  );
}

/** Whether pairing would forget a secret that is there. */
export async function isPaired(operator: Operator, source: ResolvedSource): Promise<boolean> {
  return parsedOf(await read(operator, source))?.kind === 'secret';
}

/** The first secret that its provider brings before `until` is kept; one that was there is forgotten. */
export function openPairing(operator: Operator, source: ResolvedSource, until: EpochMs): Promise<void> {
  return setSecret(operator, source, JSON.stringify({ pairingUntil: until }));
}

/** What a provider brought. Undefined while nothing came. */
export async function pairedSecret(operator: Operator, source: ResolvedSource): Promise<string | undefined> {
  const parsed = parseSecret((await readStored(operator, source.id)).text);
  return parsed.kind === 'secret' ? parsed.secret.current : undefined;
}

async function read(operator: Operator, source: ResolvedSource) {
  const stored = await readStored(operator, source.id);
  mustExist(operator, source, stored.kind);
  return stored;
}
