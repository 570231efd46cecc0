/**
 * The exported catalogue before a validator of OpenAPI 3.1 (`@seriousme/openapi-schema-validator`, the schema that the
 * OpenAPI Initiative publishes): it must accept each export, and refuse each that was spoiled.
 */
import { Validator } from '@seriousme/openapi-schema-validator';
import { toOpenApi } from '../../../core/outbound/catalogue/to-openapi.ts';

const money = {
  type: 'object',
  properties: { a: { $ref: '#/$defs/n' }, b: { $ref: '#' } },
  $defs: { n: { minimum: 0 } },
};
const types = [
  { name: 'ping', validate: 'off' as const },
  {
    ...{ name: 'invoice.paid', description: 'Paid', group: 'Money', validate: 'reject' as const, version: 'v2' },
    ...{ schema: money, example: { a: 1 }, deprecated: true, ends_at: '2027-01-31T00:00:00.000Z', replacement: 'b' },
    earlier: [{ version: 'v1', schema: true, example: 5 }],
  },
];
/** Each replaces one text of the document. */
const spoiled = [
  ['a webhook that is no path item', '"ping":{', '"ping":5,"other":{'],
  ['no info', '"info":', '"infos":'],
  ['a name that no schema may have', '"schemas":{', '"schemas":{"a b":{},'],
] as const;

let wrong = 0;
async function judge(what: string, document: object, wanted: boolean): Promise<void> {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  if (valid === wanted) return;
  wrong++;
  console.error(`✗ ${what}: ${valid ? 'accepted' : JSON.stringify(errors).slice(0, 500)}`);
}

for (const format of ['standard', 'raw'] as const) {
  const document = toOpenApi(types, 'Acme', format);
  await judge(format, document, true);
  for (const [what, from, to] of spoiled)
    await judge(`${format}, ${what}`, JSON.parse(JSON.stringify(document).replace(from, to)), false);
}
console.log(`OpenAPI 3.1: 2 exports and ${2 * spoiled.length} spoiled ones judged, ${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
