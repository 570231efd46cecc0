/** What the catalogue says to a message: an unknown type, an unknown version, data that breaks the schema. */
import type { ItemStore } from '#core/outbound/ports.ts';
import type { EventTypeItem, TypeVersion } from '#core/outbound/protocol/items.ts';
import { eventTypeKey } from '#core/outbound/protocol/keys.ts';
import type { Clock } from '#core/ports.ts';

/** Where a schema is broken: a JSON Pointer into `data` and a keyword. Never a value. */
export interface BrokenPlace {
  readonly path: string;
  readonly rule: string;
}
/** The first places that break it, none where the data fits. `too_slow`: the judge gave up, and nothing is known. */
export type JudgeSchema = (schema: object, data: unknown) => Promise<readonly BrokenPlace[] | 'too_slow'>;

export interface CataloguePorts {
  readonly store: Pick<ItemStore, 'get'>;
  readonly clock: Clock;
  readonly judge: JudgeSchema;
}
export interface CatalogueRules {
  readonly environment: string;
  /** Types that are not in the catalogue are taken, taken and reported, or refused. */
  readonly eventTypes: 'any' | 'reported' | 'declared';
}

export interface Finding {
  readonly error: 'unknown_type' | 'unknown_version' | 'schema_mismatch' | 'not_judged';
  readonly detail: string;
  /** Of `schema_mismatch`: the first place. */
  readonly place?: BrokenPlace;
}
export interface Judgement {
  /** Name of the version that judged it. */
  readonly version?: string;
  readonly finding?: Finding;
  /** The finding is a reason to refuse it; else it is only reported. */
  readonly refused: boolean;
}
const FINE: Judgement = { refused: false };
const TOLD = 5;

/** `data`: undefined for a body that the producer built itself, which no schema describes. */
export async function judgePublication(
  ports: CataloguePorts,
  rules: CatalogueRules,
  given: { readonly type: string; readonly apiVersion: string | undefined; readonly data: () => unknown },
): Promise<Judgement> {
  const { type: name, apiVersion } = given;
  const type = await typeOf(ports, rules, name);
  if (type === undefined) {
    const detail = `${name} is not in the catalogue: add it with PUT /v1/event-types/${name}`;
    if (rules.eventTypes === 'any') return FINE;
    return { finding: { error: 'unknown_type', detail }, refused: rules.eventTypes === 'declared' };
  }
  if (type.validate === 'off') return FINE;
  const refused = type.validate === 'reject';
  const version = versionOf(type, apiVersion);
  if (version === undefined) {
    const known = versionsOf(type).map(each => each.version);
    const detail = `${name} has no version ${apiVersion}; give one of ${known.join(', ')}`;
    return { finding: { error: 'unknown_version', detail }, refused };
  }
  const data = version.schema === undefined ? undefined : given.data();
  if (data === undefined) return FINE;
  const named = version.version === undefined ? {} : { version: version.version };
  const broken = await ports.judge(version.schema as object, data);
  if (broken === 'too_slow') {
    const detail = `checking data against the schema of ${name} took too long: simplify its patterns`;
    return { ...named, finding: { error: 'not_judged', detail }, refused: false };
  }
  const [place] = broken;
  if (place === undefined) return { ...named, refused: false };
  const told = broken.slice(0, TOLD).map(each => `${each.path || '/'} ${each.rule}`);
  const detail = `data breaks the schema of ${name}: ${told.join('; ')}`;
  return { ...named, finding: { error: 'schema_mismatch', detail, place }, refused };
}

/** Newest first. */
const versionsOf = (type: EventTypeItem): readonly TypeVersion[] => [type, ...(type.earlier ?? [])];

/** What a message of that `api_version` must look like; without one, the newest. Undefined: the type has no such version. */
export function versionOf(type: EventTypeItem, apiVersion: string | undefined): TypeVersion | undefined {
  // A type without versions has one form for all of them.
  if (apiVersion === undefined || type.version === undefined) return type;
  return versionsOf(type).find(each => each.version === apiVersion);
}

const TYPE_MS = 15_000;
const KEPT = 500;
const kept = new WeakMap<object, Map<string, { readonly type: EventTypeItem | undefined; readonly until: number }>>();
/** Kept for 15 s, the absence of one as well. */
async function typeOf({ store, clock }: CataloguePorts, { environment }: CatalogueRules, name: string) {
  const known = kept.get(store) ?? new Map();
  kept.set(store, known);
  const there = known.get(name);
  if (there && there.until > clock.now()) return there.type;
  const type = await store.get(eventTypeKey(environment, name), 'eventual');
  if (known.size >= KEPT) known.clear();
  known.set(name, { type, until: clock.now() + TYPE_MS });
  return type;
}
