/** docs/api/openapi.json, written by hand but for what its requests may hold: that comes from the checks that refuse. */
import { MOST_SENDS_PER_SECOND } from '#core/config/sweeper-speed.ts';
import { given } from '#core/given.ts';
import { bodyFields, queryFields } from '#core/inbound/api/api-fields.ts';
import { API_FIELDS, API_ROUTES } from '#core/inbound/api/api-routes.ts';
import { FILTER_FIELDS } from '#core/inbound/search/event-filter.ts';
import { type Check, type JsonSchema, object } from '#core/problem.ts';

interface Parameter {
  $ref?: string;
  readonly name: string;
  readonly in: string;
  schema: JsonSchema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { 'application/json': { schema: JsonSchema } } };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

/** What the check allows, in the words that stand there. */
const bounded = (there: JsonSchema = {}, { schema = {} }: Pick<Check, 'schema'> = {}): JsonSchema => ({
  ...schema,
  ...given({ description: there['description'], default: there['default'] }),
});

/** `written`: as it stands. */
export function statusDocument(written: string): unknown {
  const document = JSON.parse(written) as Document;
  for (const route of API_ROUTES) {
    const [method = '', path = ''] = route.split(' ');
    const { parameters = [], requestBody } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const query = queryFields(route);
    for (const each of parameters) {
      const parameter = document.components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each;
      if (parameter.in === 'query') parameter.schema = bounded(parameter.schema, query[parameter.name]);
    }
    if (requestBody === undefined) continue;
    const checks = bodyFields(route, MOST_SENDS_PER_SECOND, 0);
    const { properties: there } = requestBody.content['application/json'].schema as {
      readonly properties: Readonly<Record<string, JsonSchema>>;
    };
    const properties = Object.entries(checks).map(([name, check]) => [name, bounded(there[name], check)]);
    // A dry run needs no reason; a job needs to know which events.
    const isJob = route === 'POST /replay-jobs';
    const { required = [] } = isJob ? {} : API_FIELDS[route];
    requestBody.content['application/json'].schema = {
      ...object(checks, required).schema,
      properties: Object.fromEntries(properties),
      ...(isJob && { anyOf: FILTER_FIELDS.map(name => ({ required: [name] })) }),
    };
  }
  return document;
}
