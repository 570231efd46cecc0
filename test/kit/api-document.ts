/** An OpenAPI document of docs/api as a judge of real requests and replies, and of itself: what it describes must have been seen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Content {
  readonly content?: Readonly<
    Partial<Record<'application/json' | 'application/problem+json', { readonly schema: Schema }>>
  >;
}
interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}
export interface Operation {
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}
interface Document {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Answered by API Gateway before the function is asked. */
const NOT_OURS = ['403', '429'];

const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** By the text of the schema: most answers of an error are one schema, and to compile one takes ten milliseconds. */
const compiled = new Map<string, ValidateFunction>();

const schemaOf = ({ content }: Content): Schema | undefined =>
  (content?.['application/json'] ?? content?.['application/problem+json'])?.schema;

export class ApiDocument {
  readonly document: Document;
  /** Route to operation, e.g. `GET /events`. */
  readonly operations = new Map<string, Operation>();
  readonly #seen = new Set<string>();
  readonly #validators = new Map<Schema, ValidateFunction>();

  /** `file`: of docs/api. */
  constructor(file = 'openapi.json') {
    this.document = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/api', file), 'utf8')) as Document;
    for (const [path, methods] of Object.entries(this.document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        this.operations.set(`${method.toUpperCase()} ${path}`, operation);
      }
    }
  }

  parametersOf(route: string, place: 'query' | 'path'): readonly Parameter[] {
    const all = this.operations.get(route)?.parameters ?? [];
    return all.map(it => this.#resolve(it)).filter(it => it.in === place);
  }

  bodySchemaOf(route: string): Schema | undefined {
    return this.operations.get(route)?.requestBody?.content?.['application/json']?.schema;
  }

  /** What is wrong with a request by the document; empty: nothing. */
  judgeRequest(route: string, query: Readonly<Record<string, string>>, body: unknown): readonly string[] {
    const parameters = this.parametersOf(route, 'query');
    const wrong = Object.entries(query).flatMap(([name, text]) => {
      const schema = parameters.find(it => it.name === name)?.schema;
      if (schema === undefined) return [`query.${name} is not described`];
      return this.#judge(schema, schema.type === 'integer' ? Number(text) : text);
    });
    const schema = this.bodySchemaOf(route);
    return schema === undefined ? wrong : [...wrong, ...this.#judge(schema, body)];
  }

  /** What is wrong with a reply by the document; empty: nothing. Keeps in mind what the reply shows. */
  judgeReply(route: string, status: number, body: unknown): readonly string[] {
    const response = this.operations.get(route)?.responses[String(status)];
    if (response === undefined) return [`${route} ${status} is not described`];
    const schema = schemaOf(this.#resolve(response));
    if (schema === undefined) {
      this.#seen.add(`${route} ${status}`);
      return status === 204 && body === undefined ? [] : [`${route} ${status} has no schema`];
    }
    this.#seen.add(`${route} ${status}`);
    this.#mark(schema, body, '');
    return this.#judge(schema, body);
  }

  /** Answers and fields of replies that are described, and that no reply so far has shown. */
  unseen(): readonly string[] {
    const described = new Set<string>();
    for (const [route, { responses }] of this.operations) {
      for (const [status, response] of Object.entries(responses)) {
        if (NOT_OURS.includes(status)) continue;
        described.add(`${route} ${status}`);
        const schema = schemaOf(this.#resolve(response));
        if (schema) for (const field of this.#fieldsOf(schema, '')) described.add(field);
      }
    }
    return [...described].filter(it => !this.#seen.has(it)).sort();
  }

  #judge(schema: Schema, value: unknown): readonly string[] {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      const closed = this.#closed(schema) as object;
      const text = JSON.stringify(closed);
      validate = compiled.get(text) ?? ajv.compile(closed);
      compiled.set(text, validate);
      this.#validators.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(it => `${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`);
  }

  #resolve<T extends { readonly $ref?: string }>(value: T): T {
    if (value.$ref === undefined) return value;
    const target = value.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], this.document);
    if (target === undefined) throw new Error(`${value.$ref} leads nowhere`);
    return target as T;
  }

  /** The schema on its own, in which a field that is not described is a mistake. */
  #closed(schema: Schema, open = false): unknown {
    const { properties, items, allOf, oneOf, ...rest } = this.#resolve(schema);
    const isObject = properties !== undefined || allOf !== undefined;
    return {
      ...rest,
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, it]) => [name, this.#closed(it)])),
      }),
      ...(items && { items: this.#closed(items) }),
      ...(allOf && { allOf: allOf.map(it => this.#closed(it, true)) }),
      ...(oneOf && { oneOf: oneOf.map(it => this.#closed(it)) }),
      ...(isObject && !open ? { unevaluatedProperties: false } : {}),
    };
  }

  #fieldsOf(schema: Schema, owner: string): readonly string[] {
    const name = schema.$ref?.split('/').at(-1) ?? owner;
    const { properties = {}, items, allOf = [], oneOf = [] } = this.#resolve(schema);
    return [
      ...Object.entries(properties).flatMap(([key, it]) => [`${name}.${key}`, ...this.#fieldsOf(it, `${name}.${key}`)]),
      ...[...(items ? [items] : []), ...allOf, ...oneOf].flatMap(it => this.#fieldsOf(it, name)),
    ];
  }

  #mark(schema: Schema, value: unknown, owner: string): void {
    const name = schema.$ref?.split('/').at(-1) ?? owner;
    const { properties = {}, items, allOf = [], oneOf = [] } = this.#resolve(schema);
    for (const it of allOf) this.#mark(it, value, name);
    for (const it of oneOf) if (this.#judge(it, value).length === 0) this.#mark(it, value, name);
    if (items && Array.isArray(value)) for (const each of value) this.#mark(items, each, name);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, it] of Object.entries(properties)) {
      if (!Object.hasOwn(value, key)) continue;
      this.#seen.add(`${name}.${key}`);
      this.#mark(it, (value as Record<string, unknown>)[key], `${name}.${key}`);
    }
  }
}
