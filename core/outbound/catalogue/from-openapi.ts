/** The `webhooks` of an OpenAPI 3.1 document as types of the catalogue. Nothing is fetched: what it refers to is inside it. */
import { type ConfigProblem, join, type Report, show } from '#core/problem.ts';
import { type CatalogueType, tidied } from './catalogue-type.ts';
import { atPointer, isJsonObject, type Json, mapRefs, pointerOf } from './schema-parts.ts';

const MAX_DESCRIPTION = 1_000;

/** Every problem at once; with any, nothing should be written. */
export function fromOpenApi(document: unknown): {
  readonly types: readonly CatalogueType[];
  readonly problems: readonly ConfigProblem[];
} {
  const problems: ConfigProblem[] = [];
  const report: Report = problem => problems.push(problem);
  const webhooks = webhooksOf(document, report);
  const entries = Object.entries(webhooks).flatMap(([key, item]) => {
    const read = readWebhook({ document, report, path: join('webhooks', key) }, key, item);
    return read === undefined ? [] : [read];
  });
  const newest = entries.filter(({ earlier }) => !earlier);
  for (const { type, path, earlier } of entries)
    if (earlier && !newest.some(each => each.type.name === type.name))
      report({ path, given: `only an earlier version of ${type.name}`, allowed: 'beside its newest', fix: 'add that' });
  const types = newest.map(({ type }) => {
    const before = entries.filter(each => each.earlier && each.type.name === type.name);
    const forms = before.map(({ type: { version, schema, example, deprecated } }) => ({
      version,
      schema,
      example,
      deprecated,
    }));
    return tidied({ ...type, earlier: forms } as CatalogueType);
  });
  const names = types.map(({ name }) => name);
  for (const [at, name] of names.entries())
    if (names.indexOf(name) < at)
      report({
        path: 'webhooks',
        given: `${name} twice`,
        allowed: 'each type once',
        fix: 'correct x-holdfast.event_type',
      });
  return { types, problems };
}

function webhooksOf(document: unknown, report: Report): Json {
  const { openapi, swagger, webhooks } = isJsonObject(document) ? document : ({} as Json);
  if (typeof openapi !== 'string' || !/^3\.1\.\d+$/.test(openapi)) {
    const fix = 'convert the document: webhooks came with OpenAPI 3.1';
    report({ path: 'openapi', given: show(openapi ?? swagger), allowed: '3.1.x', fix });
    return {};
  }
  if (isJsonObject(webhooks) && Object.keys(webhooks).length > 0) return webhooks;
  report({ path: 'webhooks', given: show(webhooks), allowed: 'a webhook for each event type', fix: 'add them' });
  return {};
}

/** A place in the document: what is read, for whom, and where it says so. */
interface Reading {
  readonly document: unknown;
  readonly report: Report;
  readonly path: string;
}
interface Found {
  readonly type: CatalogueType;
  readonly path: string;
  readonly earlier: boolean;
}

function readWebhook(from: Reading, key: string, item: unknown): Found | undefined {
  const { report, path } = from;
  const pathItem = follow(from, item).value;
  const operation = isJsonObject(pathItem) ? follow(from, pathItem['post']).value : undefined;
  if (!isJsonObject(pathItem) || !isJsonObject(operation)) {
    report({ path, given: 'no post', allowed: 'a path item with a post', fix: 'a webhook is sent by POST: add it' });
    return undefined;
  }
  const own = isJsonObject(operation['x-holdfast']) ? operation['x-holdfast'] : {};
  const name = own['event_type'] ?? key;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]{1,100}$/.test(name)) {
    const fix = 'rename it, or add x-holdfast: { event_type: … } to its post';
    report({ path, given: show(name), allowed: '1 to 100 letters, digits, _ . and -', fix });
    return undefined;
  }
  const { schema, example } = readBody(from, operation['requestBody'], own['body'] === 'data');
  const [group] = Array.isArray(operation['tags']) ? operation['tags'] : [];
  const told = [operation['description'], operation['summary'], pathItem['description'], pathItem['summary']];
  const type = {
    ...{ name, description: oneLine(told.find(each => typeof each === 'string' && each !== '')) },
    ...{ group, schema, example, deprecated: operation['deprecated'] === true },
    ...{ validate: own['validate'], version: own['version'], ends_at: own['ends_at'], replacement: own['replacement'] },
  };
  return { type: tidied(type) as CatalogueType, path, earlier: own['earlier'] === true };
}

/** The catalogue keeps one line. */
function oneLine(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION - 1)}…` : line;
}

/**
 * Schema and example of `data`: of an envelope (an object with `type` and `data`) what is under `data`, else all of it.
 * `isData`: it says itself that it has no envelope.
 */
function readBody(
  from: Reading,
  requestBody: unknown,
  isData: boolean,
): { readonly schema?: unknown; readonly example?: unknown } {
  const body = follow(from, requestBody).value;
  const content = isJsonObject(body) && isJsonObject(body['content']) ? body['content'] : {};
  const media = Object.entries(content).find(([type]) => /[/+]json\b/i.test(type));
  if (media === undefined || !isJsonObject(media[1])) return {};
  const at = { ...from, path: `${from.path}.schema` };
  const [first] = isJsonObject(media[1]['examples']) ? Object.values(media[1]['examples']) : [];
  const named = follow(at, first).value;
  const given = media[1]['example'] ?? (isJsonObject(named) ? named['value'] : undefined);
  const whole = media[1]['schema'];
  const members = isData ? new Map<string, unknown[]>() : membersOf(at, whole);
  const data = members.get('data') ?? [];
  if (!members.has('type') || data.length === 0)
    return { schema: saysNothing(whole) ? undefined : bundled(at, whole), example: given ?? exampleOf(at, whole) };
  const [only] = data;
  const schema = data.length === 1 ? only : { allOf: data };
  const shown = isJsonObject(given) ? given['data'] : undefined;
  return { schema: saysNothing(schema) ? undefined : bundled(at, schema), example: shown ?? exampleOf(at, schema) };
}

const saysNothing = (schema: unknown): boolean => isJsonObject(schema) && Object.keys(schema).length === 0;

/** Members of an object's schema, those of its `allOf` with them: each with the schemas that it must fit. */
function membersOf(
  from: Reading,
  schema: unknown,
  found = new Map<string, unknown[]>(),
  depth = 0,
): Map<string, unknown[]> {
  const { value } = follow(from, schema);
  if (!isJsonObject(value) || depth > 8) return found;
  for (const part of Array.isArray(value['allOf']) ? value['allOf'] : []) membersOf(from, part, found, depth + 1);
  for (const [name, member] of Object.entries(isJsonObject(value['properties']) ? value['properties'] : {})) {
    const before = (found.get(name) ?? []).filter(each => !saysNothing(each));
    found.set(name, [...before, ...(saysNothing(member) && before.length > 0 ? [] : [member])]);
  }
  return found;
}

function exampleOf(from: Reading, schema: unknown): unknown {
  const { value } = follow(from, schema);
  if (!isJsonObject(value)) return undefined;
  return Array.isArray(value['examples']) ? value['examples'][0] : value['example'];
}

/** What a value that may be `{ $ref }` alone stands for, and where that lies. */
function follow(
  { document, report, path }: Reading,
  given: unknown,
): { readonly value: unknown; readonly pointer?: string } {
  let at: { value: unknown; pointer?: string } = { value: given };
  for (let steps = 0; isJsonObject(at.value) && typeof at.value['$ref'] === 'string'; steps++) {
    if (Object.keys(at.value).some(key => !['$ref', 'summary', 'description'].includes(key))) return at;
    const ref = at.value['$ref'];
    const pointer = pointerOf(ref);
    const value = pointer === undefined ? undefined : atPointer(document, pointer);
    if (value === undefined || pointer === undefined || steps > 32) {
      reportRef(path, ref, report);
      return { value: undefined };
    }
    at = { value, pointer };
  }
  return at;
}

function reportRef(path: string, ref: string, report: Report): void {
  const fix = ref.startsWith('#') ? 'correct it' : 'bundle the document into one file first; nothing is fetched';
  report({ path, given: show(ref), allowed: 'a place inside this document', fix });
}

/** The schema by itself: what it refers to comes along in `$defs`. */
function bundled(from: Reading, given: unknown): unknown {
  const { document, report, path } = from;
  const { value: schema, pointer: own } = follow(from, given);
  if (schema === undefined) return undefined;
  const before = isJsonObject(schema) && isJsonObject(schema['$defs']) ? Object.keys(schema['$defs']) : [];
  const names = new Map<string, string>();
  const defs: Record<string, unknown> = {};
  const change = (ref: string): string => {
    const inside = own === undefined ? undefined : `#${own}`;
    if (inside !== undefined && (ref === inside || ref.startsWith(`${inside}/`))) return `#${ref.slice(inside.length)}`;
    const pointer = pointerOf(ref);
    const known = pointer === undefined ? undefined : names.get(pointer);
    if (known !== undefined) return `#/$defs/${known}`;
    const target = pointer === undefined ? undefined : atPointer(document, pointer);
    if (pointer === undefined || target === undefined) {
      reportRef(path, ref, report);
      return ref;
    }
    const taken = [...before, ...names.values()];
    const wanted = (pointer.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9_.-]/g, '_') || 'document';
    let name = wanted;
    for (let n = 2; taken.includes(name); n++) name = `${wanted}_${n}`;
    names.set(pointer, name);
    defs[name] = mapRefs(target, change);
    return `#/$defs/${name}`;
  };
  const mapped = mapRefs(schema, change);
  if (!isJsonObject(mapped) || names.size === 0) return mapped;
  return { ...mapped, $defs: { ...(mapped['$defs'] as Json | undefined), ...defs } };
}
