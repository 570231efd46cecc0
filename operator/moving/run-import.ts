/**
 * Makes what a plan names and is not there yet. Run twice it makes nothing; stopped in the middle it is run again: an endpoint
 * with more steps than one carries a mark until the last of them. Secrets go to the API once and come back to nobody.
 */
import { parseIso } from '#core/time.ts';
import {
  allOf,
  askDelivery,
  type DeliveryApi,
  type DeliveryCall,
  readAnswer,
  refusalOf,
} from '#operator/delivery-api.ts';
import { OperatorError } from '#operator/operator-error.ts';
import type { ImportPlan, LeftOut, PlannedApplication, PlannedEndpoint } from './plan.ts';

interface Counts {
  readonly made: number;
  readonly there: number;
}
export interface ImportResult {
  readonly types: Counts;
  readonly applications: Counts;
  readonly endpoints: Counts;
  /** What was left out by the plan, and what the API refused or has otherwise. */
  readonly left: readonly LeftOut[];
}

export interface ImportWay {
  readonly from: string;
  /** Looks and makes nothing; `made` is then what would be made. */
  readonly dryRun: boolean;
  readonly by: string;
  now(): number;
  /** After each application. */
  progress?(done: number, total: number): void;
}

/** On an endpoint that an import made; the second while it is not whole. */
const MADE_BY = 'moved_from';
const UNFINISHED = 'moving';
const ENDPOINTS_BY_DEFAULT = 50;

interface Seen {
  readonly uid: string | null;
  readonly url: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Throws OperatorError when the API cannot be asked; what was made until then is found by the next run. */
export async function runImport(api: DeliveryApi, plan: ImportPlan, way: ImportWay): Promise<ImportResult> {
  const run = new Import(api, way, [...plan.left]);
  for (const { name, body } of plan.types) await run.type(name, body);
  for (const [at, application] of plan.applications.entries()) {
    await run.application(application);
    way.progress?.(at + 1, plan.applications.length);
  }
  return run.result();
}

class Import {
  readonly #api: DeliveryApi;
  readonly #way: ImportWay;
  readonly #left: LeftOut[];
  readonly #counts = {
    types: { made: 0, there: 0 },
    applications: { made: 0, there: 0 },
    endpoints: { made: 0, there: 0 },
  };

  constructor(api: DeliveryApi, way: ImportWay, left: LeftOut[]) {
    this.#api = api;
    this.#way = way;
    this.#left = left;
  }

  result(): ImportResult {
    return { ...this.#counts, left: this.#left };
  }

  async type(name: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const path = ['event-types', name];
    if (await this.#isThere(path)) {
      this.#counts.types.there += 1;
      return;
    }
    // What the API will not have is most often the schema: an older draft.
    const { schema: _, version: __, earlier: ___, ...bare } = body;
    const fits = await this.#make({ method: 'PUT', path, body }, `event type ${name}: its schema`, false);
    if (fits || (await this.#make({ method: 'PUT', path, body: bare }, `event type ${name}`, false)))
      this.#counts.types.made += 1;
  }

  async application({ uid, name, metadata, endpoints }: PlannedApplication): Promise<void> {
    const path = ['apps', `uid:${uid}`];
    const there = await this.#find<{ readonly format: string }>(path);
    if (there === undefined) {
      const limits = endpoints.length > ENDPOINTS_BY_DEFAULT ? { limits: { endpoints: endpoints.length } } : {};
      const fits = JSON.stringify(metadata).length <= 2_048;
      if (!fits) this.#leave(`application ${uid}: metadata`, 'it has more than 2 KB', 'keep it elsewhere', false);
      // Receivers get the body they got: the data alone.
      const body = { name, format: 'raw', ...limits, ...(fits ? { metadata } : {}) };
      if (!(await this.#make({ method: 'PUT', path, body }, `application ${uid}`, true))) return;
      this.#counts.applications.made += 1;
    } else {
      this.#counts.applications.there += 1;
      if (there.format !== 'raw')
        this.#leave(
          `application ${uid}: format`,
          `it is there with the format ${there.format}, so receivers get another body than before`,
          'PATCH its format to raw, or publish with "format":"raw"',
          false,
        );
    }
    const known = there === undefined ? new Map<string, Seen>() : await this.#endpointsOf(uid);
    for (const endpoint of endpoints) await this.#endpoint(uid, endpoint, known.get(endpoint.uid));
  }

  async #endpoint(app: string, planned: PlannedEndpoint, seen: Seen | undefined): Promise<void> {
    const what = `endpoint ${app}/${planned.uid}`;
    const path = ['apps', `uid:${app}`, 'endpoints', `uid:${planned.uid}`];
    const mark = this.#way.from;
    let there = seen;
    if (there === undefined) {
      const unfinished = planned.disabled !== undefined || planned.previous !== undefined;
      const marks = { [MADE_BY]: mark, ...(unfinished ? { [UNFINISHED]: 'unfinished' } : {}) };
      const metadata = { ...planned.body.metadata, ...marks };
      // The older secret first: the rotation that follows gives it its end.
      const secret = planned.previous?.secret ?? planned.secret;
      const call = { method: 'PUT', path, body: { ...planned.body, metadata, secret } } as const;
      if (!(await this.#make(call, what, true))) return;
      this.#counts.endpoints.made += 1;
      if (this.#way.dryRun) return;
      there = { uid: planned.uid, url: planned.body.url, metadata };
    } else if (there.metadata[MADE_BY] !== mark) {
      this.#counts.endpoints.there += 1;
      this.#leave(
        what,
        'an endpoint of this name is there that no import made: its secret is its own',
        'compare the two',
        true,
      );
      return;
    } else this.#counts.endpoints.there += 1;
    if (there.metadata[UNFINISHED] !== undefined && !this.#way.dryRun) await this.#finish(path, planned, there);
  }

  /** The steps behind the first; each may be repeated. */
  async #finish(path: readonly string[], planned: PlannedEndpoint, there: Seen): Promise<void> {
    const { previous, secret, disabled } = planned;
    if (previous !== undefined) {
      const seconds = Math.ceil(((parseIso(previous.until) ?? 0) - this.#way.now()) / 1_000);
      const grace_seconds = Math.min(604_800, Math.max(0, seconds));
      const body = { secret, grace_seconds, request_id: 'import' };
      await askDelivery(this.#api, { method: 'POST', path: [...path, 'secret', 'rotate'], body });
    }
    if (disabled !== undefined) {
      const body = { why: `${this.#way.by}: ${disabled}` };
      await askDelivery(this.#api, { method: 'POST', path: [...path, 'disable'], body });
    }
    const { [UNFINISHED]: _, ...metadata } = there.metadata;
    await askDelivery(this.#api, { method: 'PATCH', path, body: { metadata } });
  }

  async #endpointsOf(app: string): Promise<Map<string, Seen>> {
    const all = await allOf<Seen>(this.#api, ['apps', `uid:${app}`, 'endpoints']);
    return new Map(all.flatMap(each => (each.uid === null ? [] : [[each.uid, each] as const])));
  }

  async #isThere(path: readonly string[]): Promise<boolean> {
    return (await this.#find(path)) !== undefined;
  }

  async #find<T>(path: readonly string[]): Promise<T | undefined> {
    try {
      return await askDelivery<T>(this.#api, { method: 'GET', path });
    } catch (error) {
      if (error instanceof OperatorError && error.kind === 'not_found') return undefined;
      throw error;
    }
  }

  /** False where the API will not have it. Asked once more after a lost answer, a PUT with a secret finds its own endpoint. */
  async #make(call: DeliveryCall, what: string, endpoint: boolean): Promise<boolean> {
    if (this.#way.dryRun) return true;
    const answer = await this.#api.send(call);
    if (answer.status < 300) return true;
    if (answer.status === 409 && (await this.#isThere(call.path))) return true;
    const refusal = refusalOf(answer);
    // Nothing is there, no right to it, or no answer of the API: the import stops, and is run again.
    if (refusal === undefined || answer.status === 403 || answer.status === 404) return readAnswer(call, answer);
    this.#leave(what, refusal, 'correct it there and export again, or create it by hand', endpoint);
    return false;
  }

  #leave(what: string, why: string, fix: string, endpoint: boolean): void {
    this.#left.push({ what, why, fix, endpoint });
  }
}
