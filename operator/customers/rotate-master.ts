/**
 * A new master secret, under which all secrets of customers' endpoints are sealed. How far it is stands in the secret
 * itself, so that it may be cut off anywhere and run again, by anybody: announced (every function opens what is sealed
 * under the new one), sealing (every function seals under it), done.
 */
import { freshMaster, masterName } from '#adapters/crypto/aes-sealer.ts';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import type { EpochMs } from '#core/glossary.ts';
import { secretName } from '#core/names.ts';
import { MINUTE_MS } from '#core/time.ts';
import { allOf, pagesOf } from '#operator/delivery-api.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';

/** A function reads the secret again when an invocation begins five minutes later, and may then run for ninety seconds. */
const READ_MS = 7 * MINUTE_MS;

interface ResealedPage {
  readonly cursor: string | null;
  readonly key: string;
  readonly endpoints: number;
  readonly resealed: number;
  readonly lost: readonly string[];
}
export interface MasterRotated {
  readonly endpoints: number;
  /** Of them, those that this run sealed anew. */
  readonly resealed: number;
}
type Tell = (step: 'announced' | 'sealing', until: EpochMs) => void;

/** Takes a quarter of an hour, and longer for ten thousands of endpoints. Throws OperatorError; both secrets open then. */
export async function rotateMaster(operator: Operator, tell: Tell): Promise<MasterRotated> {
  const { secrets, timer, clock } = await operator.gateway();
  const name = secretName(operator.deployment.config, '_outbound');
  const write = (value: object): Promise<void> => secrets.write(name, JSON.stringify(value));
  let resealed = 0;
  let walked: MasterRotated | undefined;
  for (;;) {
    // 1. How far it is: read anew for each step, for somebody else may do the same.
    const stored = await secrets.read(name);
    const parsed = parseSecret(stored.text);
    if (parsed.kind !== 'secret')
      throw new OperatorError(
        `There is no master secret ${name}: deploy the environment with outbound, or put its earlier value back`,
        'not_found',
      );
    const { current, previous } = parsed.secret;
    const isAnnounced = stored.text?.includes('"announced"') === true;
    // 2. Every function must open what is sealed under the new one, before anybody seals so.
    if (previous === undefined) {
      // Somebody else came to the end of it meanwhile.
      if (walked !== undefined) return { ...walked, resealed };
      await write({ current, previous: freshMaster(), step: 'announced' });
      continue;
    }
    const until = (stored.changedAt ?? clock.now()) + READ_MS;
    if (clock.now() < until) {
      tell(isAnnounced ? 'announced' : 'sealing', until);
      await timer.sleep(until - clock.now());
    }
    if (isAnnounced) {
      await write({ current: previous, previous: current, step: 'sealing' });
      continue;
    }
    // 3. Page by page, until a whole walk finds nothing under the old one.
    walked = await walk(operator, masterName(current));
    resealed += walked.resealed;
    if (walked.resealed > 0) continue;
    // 4. The old one opens nothing any more.
    await secrets.write(name, current);
    return { endpoints: walked.endpoints, resealed };
  }
}

async function walk(operator: Operator, key: string): Promise<MasterRotated> {
  let [endpoints, resealed] = [0, 0];
  const lost: string[] = [];
  for await (const page of resealedPages(operator)) {
    if (page.key !== key)
      throw new OperatorError(
        `A function has not read the new master secret yet. Both are valid; run it again in some minutes: ${operator.command('out rotate-master')}`,
      );
    endpoints += page.endpoints;
    resealed += page.resealed;
    lost.push(...page.lost);
  }
  if (lost.length === 0) return { endpoints, resealed };
  throw new OperatorError(
    `Neither master secret opens the secrets of ${lost.length} endpoints: ${lost.slice(0, 10).join(', ')}. They cannot be signed for now either. ` +
      'Give each a new one (POST …/secret/rotate with grace_seconds 0), then run it again. Until then both are valid.',
  );
}

async function* resealedPages(operator: Operator): AsyncGenerator<ResealedPage> {
  const api = await (await operator.gateway()).delivery();
  for (const { id } of await allOf(api, ['apps'])) {
    try {
      yield* pagesOf<ResealedPage>(api, { method: 'POST', path: ['apps', id, 'secrets', 'reseal'] });
    } catch (error) {
      // Erased since it was listed.
      if (!(error instanceof OperatorError && error.kind === 'not_found')) throw error;
    }
  }
}
