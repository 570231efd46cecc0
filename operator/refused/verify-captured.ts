/** Whether a captured request is genuine, and why not. */
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { CachedKeyFetcher } from '#adapters/http/key-fetcher.ts';
import { given } from '#core/given.ts';
import type { SourceSecret } from '#core/ports.ts';
import { meant } from '#core/problem.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { explainMismatch } from '#core/verification/explain-mismatch.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import type { VerifyContext } from '#core/verification/verify-context.ts';
import { verifyRequest } from '#core/verification/verify-request.ts';
import type { Operator } from '#operator/operator.ts';
import { usageError } from '#operator/operator-error.ts';
import { readSourceSecret } from '#operator/sources/source-secret.ts';
import { PROVIDERS, providerById } from '#providers/index.ts';
import type { SignatureVector } from './vector-file.ts';

/** What a signature is checked with. */
export interface Whose {
  readonly spec: ProviderSpec;
  readonly secret: SourceSecret | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly publicUrl?: string;
  /** The time it is checked at. */
  readonly nowMs: number;
}

export type Judgement =
  | { readonly genuine: true; readonly scheme: string; readonly matchedSecret: string }
  | {
      readonly genuine: false;
      readonly cause: string;
      readonly hint: string | undefined;
      /** Common mistakes that explain it. */
      readonly reasons: readonly { readonly id: string; readonly text: string }[];
    };

/** One of ours, or one that the project describes and a source uses. Throws OperatorError (usage) for any other id. */
export function providerOf(operator: Operator, id: string): ProviderSpec {
  if (Object.hasOwn(PROVIDERS, id)) return providerById(id);
  const own = ownProviders(operator);
  const spec = own.find(each => each.id === id);
  if (spec) return spec;
  throw usageError(
    `--provider: "${id.slice(0, 60)}"`,
    'the id of a provider, from docs/reference/providers.md, or of one of your own that a source in gateway.config.ts uses',
    meant(id, [...own.map(each => each.id), ...Object.keys(PROVIDERS)], 'look it up there'),
  );
}

/** None where there is no configuration to read: providers of ours are known without one. */
function ownProviders(operator: Operator): readonly ProviderSpec[] {
  try {
    return operator.deployment.sources.map(each => each.source.spec);
  } catch {
    return [];
  }
}

/** `source`: the secrets of the other sources are tried too, the usual mix-up. */
export async function judgeRequest(
  operator: Operator,
  request: RawRequest,
  { source, ...whose }: Whose & { readonly source: string | undefined },
): Promise<Judgement> {
  const context = contextOf(operator, whose);
  const verdict = await verifyRequest(whose.spec, request, context);
  if (verdict.kind === 'verified')
    return { genuine: true, scheme: verdict.scheme, matchedSecret: verdict.matchedSecret };
  const otherSecrets = source === undefined ? [] : await secretsBeside(operator, source);
  const otherSpecs: readonly ProviderSpec[] = Object.values(PROVIDERS);
  const reasons = await explainMismatch(whose.spec, request, context, { otherSecrets, otherSpecs });
  return { genuine: false, cause: verdict.cause, hint: verdict.hint, reasons };
}

export interface VectorResult {
  readonly id: string;
  readonly provider: string;
  /** It came out as it says. */
  readonly ok: boolean;
  readonly verified: boolean;
  readonly cause: string | undefined;
  readonly explanations: readonly string[];
}

/** Each vector must come out as it says; one without a provider is judged by `spec`. */
export async function judgeVectors(
  operator: Operator,
  vectors: readonly SignatureVector[],
  specOf: (provider: string | undefined) => ProviderSpec,
): Promise<readonly VectorResult[]> {
  const results: VectorResult[] = [];
  for (const { id, provider, request, isGenuine, nowMs, publicUrl, secret, settings } of vectors) {
    const spec = specOf(provider);
    const context = contextOf(operator, {
      secret,
      settings,
      nowMs: nowMs ?? operator.clock.now(),
      ...given({ publicUrl }),
    });
    const verdict = await verifyRequest(spec, request, context);
    const verified = verdict.kind === 'verified';
    const reasons = verified || !isGenuine ? [] : await explainMismatch(spec, request, context);
    const cause = verified ? undefined : verdict.cause;
    const ok = verified === isGenuine;
    results.push({ id, provider: spec.id, ok, verified, cause, explanations: reasons.map(reason => reason.text) });
  }
  return results;
}

function contextOf(operator: Operator, { secret, settings, nowMs, publicUrl }: Omit<Whose, 'spec'>): VerifyContext {
  return {
    secret,
    settings,
    nowMs,
    ...given({ publicUrl }),
    crypto: nodeCrypto,
    keys: new CachedKeyFetcher({ clock: operator.clock, timeoutMs: 10_000 }),
  };
}

/** Secrets of the other sources. Those that cannot be read are left out. */
async function secretsBeside(operator: Operator, source: string): Promise<{ name: string; secret: string }[]> {
  const others = operator.deployment.sources.filter(each => each.needsSecret && each.source.id !== source);
  const found = await Promise.all(
    others.map(async each => {
      const secret = await readSourceSecret(operator, each.source).catch(() => undefined);
      return secret ? [{ name: `source ${each.source.id}`, secret: secret.current }] : [];
    }),
  );
  return found.flat();
}
