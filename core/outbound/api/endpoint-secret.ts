/** Secrets of an endpoint: shown when they are made, and when somebody asks to see them, which is logged. */

import { toBase32 } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem, StoredKey } from '#core/outbound/protocol/items.ts';
import { secretsKey } from '#core/outbound/protocol/keys.ts';
import {
  keyText,
  letterKey,
  parseSecretText,
  plainSecret,
  type SecretBytes,
  secretText,
  verifyingText,
} from '#core/outbound/protocol/secret-text.ts';
import { activate, rotate } from '#core/outbound/registry/secrets.ts';
import { isKeyedByText } from '#core/outbound/sign/signature-form.ts';
import { newKeyWaits, openKey, signingKeys } from '#core/outbound/sign/signing-keys.ts';
import { allowing, number, oneOf } from '#core/problem.ts';
import { refuse, refuseProblems } from '#core/problem-reply.ts';
import { json, type Reply } from '#core/reply.ts';
import { toHex, utf8 } from '#core/scan/bytes.ts';
import { DAY_SECONDS, toIso } from '#core/time.ts';
import {
  type ApiCall,
  type ApiPorts,
  type Body,
  bodyOf,
  endpointOf,
  endpointOfKind,
  logAct,
  tellOperational,
} from './api-call.ts';
import { requestId } from './fields.ts';

const SECRET_BYTES = 32;
/** Of secrets that another system made: they stay as they are. */
const OTHER_LENGTHS = { min: 8, max: 128 };

const SECRET = /^[\x20-\x7e]{16,220}$/;
/** Never repeats what was given. */
const secretCheck = allowing<string>({ type: 'string', pattern: SECRET.source }, (value, path, report) => {
  if (typeof value === 'string' && SECRET.test(value)) return;
  const given = typeof value === 'string' ? `a text of ${value.length} characters` : typeof value;
  const allowed = 'whsec_… or whsk_…; in the forms that are keyed by its text any 16 to 128 printable ASCII characters';
  report({ path, given, allowed, fix: 'leave it out: one is made for you' });
});
export const SECRET_FIELDS = {
  secret: secretCheck,
  alg: oneOf('sha256', 'ed25519'),
};
export type SecretBody = Body<typeof SECRET_FIELDS>;

/** The secret that was given, or a fresh one. Throws `Refused` (400) and never repeats what was given. */
export function secretOf(
  { secret, alg }: SecretBody,
  ports: Pick<ApiPorts, 'randomBytes' | 'crypto'>,
  { signature, compatibility }: Pick<EndpointItem, 'signature' | 'compatibility'>,
): SecretBytes {
  const isText = isKeyedByText(signature);
  // A receiver of such a form has one text, which signs and verifies: a key pair would be a text that nobody may give away.
  if (isText && (alg === 'ed25519' || secret?.startsWith('whsk_')))
    refuseKind(alg === 'ed25519' ? 'alg' : 'secret', `a shared secret: the form ${signature} is keyed by its text`);
  if (signature === 'standard-v1a' && (alg === 'sha256' || secret?.startsWith('whsec_')))
    refuseKind(
      alg === 'sha256' ? 'alg' : 'secret',
      'a key pair (whsk_…): the form standard-v1a is signed with one',
      'leave it out, or choose the signature standard',
    );
  if (secret === undefined) {
    const wanted = alg ?? (signature === 'standard-v1a' ? 'ed25519' : 'sha256');
    const bytes = ports.randomBytes(SECRET_BYTES);
    return { alg: wanted, bytes: wanted === 'sha256' && keyIsText(compatibility) ? utf8(toHex(bytes)) : bytes };
  }
  const brought = isText ? plainSecret(secret) : undefined;
  if (brought) return brought;
  const parsed = parseSecretText(secret, ports.crypto, compatibility === undefined ? undefined : OTHER_LENGTHS);
  if (parsed.kind === 'secret' && alg !== undefined && alg !== parsed.secret.alg)
    refuseKind('alg', `what the secret is, ${parsed.secret.alg}`);
  if (parsed.kind === 'secret') return parsed.secret;
  refuseProblems([{ path: 'secret', given: 'a text', allowed: parsed.problem, fix: 'leave it out' }]);
  throw new Error('unreachable');
}

const refuseKind = (path: 'alg' | 'secret', allowed: string, fix = 'leave it out'): void =>
  refuseProblems([{ path, given: 'another kind of secret', allowed, fix }]);

/** Kinds of the secrets that are alive, the first one's first. */
export async function secretKinds({ store, clock }: Pick<ApiPorts, 'store' | 'clock'>, id: EndpointItem['id']) {
  const { keys = [] } = (await store.get(secretsKey(id), 'consistent')) ?? {};
  return [...new Set(signingKeys(keys, clock.now()).map(({ alg }) => alg))];
}

/** Throws `Refused` (400) for an endpoint with a shared secret that would be called v1a. */
export async function refuseSharedAsPair(ports: ApiPorts, { id, signature }: EndpointItem, wanted: unknown) {
  if (wanted !== 'standard-v1a' || signature === wanted) return;
  if (!(await secretKinds(ports, id)).includes('sha256')) return;
  refuseProblems([
    {
      path: 'signature',
      given: 'standard-v1a for an endpoint with a shared secret (whsec_…)',
      allowed: 'standard-v1a where every valid secret is a key pair',
      fix: 'with the signature standard, POST …/secret/rotate {"alg":"ed25519"}, and choose it when the old secret has ended',
    },
  ]);
}

/** Its receiver takes the letters of the secret as the key, and not what they encode. */
const keyIsText = (compatibility: EndpointItem['compatibility']): boolean =>
  compatibility !== undefined && compatibility.like !== 'svix';

/** Sealed for this endpoint, or contact. `seed` names the key: the same request makes the same name. */
export function sealKey(
  ports: Pick<ApiPorts, 'crypto' | 'sealer' | 'clock'>,
  about: string,
  secret: SecretBytes,
  seed: string,
): StoredKey {
  const kid = `k_${toBase32(ports.crypto.hash('sha256', utf8(`${about}\n${seed}`))).slice(0, 10)}`;
  const { bytes, ...known } = secret;
  return { ...known, kid, sealed: ports.sealer.seal(bytes, about), createdAt: ports.clock.now() };
}

/** What the owner of the endpoint gets: the text that signs, and the one that verifies. */
export function showSecret(
  kid: string,
  secret: SecretBytes,
  ports: ApiPorts,
  { signature, compatibility }: Pick<EndpointItem, 'signature' | 'compatibility'>,
) {
  if (isKeyedByText(signature) && (secret.plain || secret.alg === 'ed25519')) {
    const text = keyText(secret, ports.crypto);
    return { key_id: kid, alg: secret.alg, secret: text, verify_with: text };
  }
  const plain = secret.alg === 'sha256' && keyIsText(compatibility) ? letterKey(secret.bytes).text : undefined;
  const verify = plain ?? verifyingText(secret, ports.crypto);
  return { key_id: kid, alg: secret.alg, secret: secretText(secret, ports.crypto), verify_with: verify };
}

/** All that are alive, newest first. Logged, without the secret. */
export async function revealSecret(call: ApiCall): Promise<Reply> {
  const { ports } = call;
  const endpoint = await endpointOf(call);
  const stored = await ports.store.get(secretsKey(endpoint.id), 'consistent');
  const now = ports.clock.now();
  const data = signingKeys(stored?.keys ?? [], now).map(key => shown(key, endpoint, ports));
  logAct(call, 'a secret was revealed', { endpoint: endpoint.id });
  return json(200, { data });
}

function shown(key: StoredKey, endpoint: EndpointItem, ports: ApiPorts) {
  return {
    ...showSecret(key.kid, openKey(key, endpoint.id, ports.sealer), ports, endpoint),
    created_at: toIso(key.createdAt),
    active_from: key.activatedAt === undefined ? null : toIso(key.activatedAt),
    not_after: key.notAfter === undefined ? null : toIso(key.notAfter),
  };
}

export const ROTATE_FIELDS = {
  ...SECRET_FIELDS,
  grace_seconds: number(0, 7 * DAY_SECONDS, 'seconds'),
  request_id: requestId,
};
/** The new key signs at once, the old one for the grace; in forms with room for one, until it is activated. */
export async function rotateSecret(call: ApiCall): Promise<Reply> {
  const { ports } = call;
  const body = bodyOf(call, ROTATE_FIELDS);
  const endpoint = await endpointOfKind(call, 'push');
  const now = ports.clock.now();
  const oldUntil = now + (body.grace_seconds ?? DAY_SECONDS) * 1_000;
  const sealed = sealKey(ports, endpoint.id, secretOf(body, ports, endpoint), body.request_id ?? ports.ids.uuid());
  const fresh = newKeyWaits(endpoint) ? { ...sealed, activatedAt: oldUntil } : sealed;
  const result = await rotate(ports.store, endpoint.id, fresh, { now, oldUntil });
  if (result.kind === 'refused') return refuseRotation(result.cause);
  const key = result.secrets.keys.find(({ kid }) => kid === fresh.kid) ?? fresh;
  logAct(call, 'a secret was rotated', { endpoint: endpoint.id });
  await tellOperational(call, 'endpoint.secret_rotated', endpoint, { key_id: key.kid });
  return json(201, shown(key, endpoint, ports));
}

/** Forms with room for one signature use the newest key from now on. */
export async function activateSecret(call: ApiCall): Promise<Reply> {
  bodyOf(call, {});
  const endpoint = await endpointOfKind(call, 'push');
  const result = await activate(call.ports.store, endpoint.id, call.ports.clock.now());
  if (result.kind === 'refused') return refuseRotation(result.cause);
  const [newest] = result.secrets.keys;
  return json(200, { key_id: newest?.kid ?? null });
}

function refuseRotation(cause: 'too_many_secrets' | 'unknown_endpoint' | 'version_changed'): never {
  if (cause === 'unknown_endpoint') return refuse(404, cause, 'the endpoint was deleted');
  if (cause === 'version_changed')
    return refuse(409, cause, 'somebody else changed it a moment ago: send the request again');
  return refuse(
    409,
    cause,
    'the endpoint has three valid secrets, the most that it may have: wait until one ends, or rotate with grace_seconds 0',
  );
}
