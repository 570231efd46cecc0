/**
 * Which form of signature an endpoint's requests have, what its header is called, and where the name of the key is. The
 * nearest that says something wins: the endpoint, its application, the environment. It is asked once, when an endpoint is
 * made: a receiver that verifies one form refuses every other, so a change of the environment changes no endpoint.
 */
import { given } from '#core/given.ts';
import type { EndpointItem, SignatureProfile } from '#core/outbound/protocol/items.ts';
import { type ConfigProblem, show } from '#core/problem.ts';

export const FORM = ['signature', 'signatureHeader', 'keyId'] as const;
export type SignatureForm = Pick<EndpointItem, (typeof FORM)[number]>;
/** What one level says. */
export type GivenForm = { readonly [K in keyof SignatureForm]?: SignatureForm[K] | undefined };

/** The key is the text of the secret, not what it encodes: any text can be one. The name of the header is free. */
export const isKeyedByText = (signature: SignatureProfile): boolean =>
  signature !== 'standard' && signature !== 'standard-v1a';

/** What two forms set beside their signature, of a message's type and id. */
export const BESIDE: { readonly [K in SignatureProfile]?: (type: string, id: string) => Record<string, string> } = {
  'body-sha256': (type, id) => ({ 'x-webhook-event': type, 'x-idempotency-key': id }),
  't-v1': (_type, id) => ({ 'x-webhook-id': id }),
};
/** The header of their signature, if the endpoint gives no other. */
export const THEIR_HEADER = 'x-webhook-signature';

/** `levels`: the nearest first. What the resulting form has no room for is taken from the first level only. */
export function nearestForm([own = {}, ...others]: readonly GivenForm[]): SignatureForm {
  const nearest = <K extends keyof SignatureForm>(name: K) =>
    [own, ...others].map(level => level[name]).find(value => value !== undefined);
  const form: SignatureForm = {
    signature: nearest('signature') ?? 'standard',
    ...given({ signatureHeader: nearest('signatureHeader'), keyId: nearest('keyId') }),
  };
  const misfits = new Set(formProblems(form).map(({ path }) => path));
  return {
    signature: form.signature,
    ...given({
      signatureHeader: misfits.has('signature_header') ? own.signatureHeader : form.signatureHeader,
      keyId: misfits.has('key_id_in') ? own.keyId : form.keyId,
    }),
  };
}

/** What does not go together; paths by the names of the API. */
export function formProblems({ signature = 'standard', signatureHeader, keyId }: GivenForm): readonly ConfigProblem[] {
  const found: ConfigProblem[] = [];
  if (signatureHeader !== undefined && !isKeyedByText(signature))
    found.push({
      path: 'signature_header',
      given: `${show(signatureHeader)} with the form ${signature}`,
      allowed: 'with timestamp-sha256, body-sha256 and t-v1 only: Standard Webhooks names its own headers',
      fix: 'leave it out (null where it is set), or choose one of those forms',
    });
  if (keyId === 'signature' && signature !== 'timestamp-sha256')
    found.push({
      path: 'key_id_in',
      given: `signature with the form ${signature}`,
      allowed: 'header or none; signature with timestamp-sha256 only, which has room for it',
      fix: 'write header, or leave it out',
    });
  return found;
}
