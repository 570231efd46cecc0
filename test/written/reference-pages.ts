/** Pages that code knows whole: every metric, every limit that no setting changes. */
import { allMetrics, dimensionsOf } from '#core/metrics.ts';

const MADE = 'Made by `npm run write`.';
const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map(row => `|${row.map(cell => ` ${cell} |`).join('')}\n`).join('');

/** `source`: the text of core/metrics.ts, whose comments say who emits each metric and what it counts. */
export function renderMetricsPage(source: string): string {
  const lines = new Map<string, string[]>();
  for (const name of allMetrics()) {
    const [, who, about] =
      new RegExp(`/\\*\\* (\\w[\\w ]*): ((?:(?!\\*/)[\\s\\S])*) \\*/\\s*'?${name}\\b`).exec(source) ?? [];
    if (who === undefined || about === undefined)
      throw new Error(`Say in core/metrics.ts who emits ${name}, and what it counts`);
    const sets = dimensionsOf(name).map(set => set.filter(it => it !== 'environment').join(' and '));
    const by = sets.filter(it => it !== '').join(', by ');
    const line = `- \`${name}\`${by === '' ? '' : ` by ${by}`}: ${about
      .replaceAll(/\s*\n\s*\*\s?/g, ' ')
      .trim()
      .replace(/\.$/, '')}`;
    lines.set(who, [...(lines.get(who) ?? []), line]);
  }
  const intro =
    'In the namespace `Holdfast` (with a `prefix`: `<prefix>/Holdfast`), each by `environment`. The functions write them as log lines (EMF); CloudWatch bills each pair of name and values.';
  const sections = [...lines].map(([who, of]) => `## ${who}\n${of.join('\n')}\n`);
  return `# Metrics\n\n${MADE} ${intro}\n\n${sections.join('\n')}`;
}

/** What is limited, and the constant that limits it: `file:NAME`. */
const LIMITS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Receiving: {
    'body of a request, bytes, unless the provider says less (more: 413)':
      'core/config/defaults.ts:DEFAULT_MAX_BODY_BYTES',
    'body that can reach the function, bytes, whatever the provider says': 'core/config/defaults.ts:BODY_BYTES_LIMIT',
    'compressed body in the table, bytes; a larger one goes to S3':
      'core/config/defaults.ts:DEFAULT_INLINE_LIMIT_BYTES',
    'depth of JSON that is read': 'core/scan/json-tape.ts:MAX_JSON_DEPTH',
    'fields of a form that is read': 'core/scan/form-scan.ts:MAX_FIELDS',
    'signed items in one request': 'core/verification/verify-request.ts:MAX_VERIFIED_ITEMS',
    'characters of an event type': 'core/verification/identify-request.ts:MAX_TYPE_LENGTH',
    'searchable fields of a source': 'core/config/validate-config.ts:MOST_FIELDS',
    'targets of one type in `routes`': 'core/config/route-config.ts:MAX_TARGETS',
    'rows in one transaction of a handler': 'core/inbound/process/run-handler.ts:MAX_EFFECTS',
    'steps of one attempt': 'core/inbound/process/step-runner.ts:MAX_STEPS',
    "bytes of a step's result": 'core/inbound/process/step-runner.ts:MAX_STEP_BYTES',
  },
  Sending: {
    'body of a message, bytes (more: 413)': 'core/outbound/publish/message-body.ts:MAX_BODY_BYTES',
    'compressed body in the table, bytes; a larger one goes to S3':
      'core/outbound/publish/message-body.ts:INLINE_BYTES',
    'body of any other request to the API, bytes': 'core/outbound/api/api-call.ts:BODY_LIMIT',
    'items of one page of a list': 'core/outbound/api/api-call.ts:MAX_PAGE',
    "bytes of an endpoint's URL": 'core/outbound/address/target-url.ts:MAX_BYTES',
    'clauses of a content filter': 'core/outbound/fan-out/content-filter.ts:MAX_CLAUSES',
    'depth of a path in a content filter': 'core/outbound/fan-out/content-filter.ts:MAX_DEPTH',
    'secrets of an endpoint that sign at once': 'core/outbound/registry/secrets.ts:MAX_LIVE_KEYS',
    'waits of a schedule': 'core/outbound/drain/schedule.ts:MAX_WAITS',
    'seconds of one wait': 'core/outbound/drain/schedule.ts:MAX_WAIT_SECONDS',
    "characters of a type's schema": 'core/outbound/catalogue/schema-check.ts:MAX_CHARACTERS',
    "depth of a type's schema": 'core/outbound/catalogue/schema-check.ts:MAX_DEPTH',
    'portal tokens that are taken back one by one, of an application': 'core/outbound/api/portal-token.ts:MOST_REVOKED',
  },
};

/** `read`: the text of a file of the repository. Throws when a constant is not there, or is no product of numbers. */
export function renderLimitsPage(read: (path: string) => string): string {
  const numberAt = (place: string): string => {
    const [path = '', name = ''] = place.split(':');
    const [, factors] = new RegExp(`const ${name} = ([\\d_]+(?: \\* [\\d_]+)*);`).exec(read(path)) ?? [];
    if (factors === undefined)
      throw new Error(`${path} has no constant ${name} that is a number: correct LIMITS in reference-pages.ts`);
    return factors
      .split(' * ')
      .reduce((product, it) => product * Number(it.replaceAll('_', '')), 1)
      .toLocaleString('en-US');
  };
  const halves = Object.entries(LIMITS).map(([half, limits]) => {
    const rows = Object.entries(limits).map(([what, place]) => [what, numberAt(place)]);
    return `## ${half}\n${table(['limit of', 'at most'], rows)}`;
  });
  return `# Limits\n\n${MADE} No setting changes these. What a setting bounds stands in [configuration](configuration.md), what AWS bounds in [what we assume of AWS](../understand/aws-assumptions.md).\n\n${halves.join('\n')}`;
}
