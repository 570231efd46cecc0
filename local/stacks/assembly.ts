import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export interface StackTemplate {
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Description?: string }>>;
}

/** A synthesized stack: its name, and its template as the CDK wrote it. */
export interface SynthesizedStack {
  readonly stackName: string;
  readonly template: StackTemplate;
}

/** The stacks of one environment out of a cloud assembly directory. */
export interface Assembly {
  readonly stacks: readonly SynthesizedStack[];
  /** Changes with any template or asset: equal means there is nothing to deploy. */
  readonly hash: string;
}

interface Manifest {
  readonly artifacts?: Readonly<Record<string, { type: string; properties?: Record<string, unknown> }>>;
}

/**
 * Reads a synthesized environment and changes its templates where the local AWS cannot deploy them (`adaptTemplate`).
 * Call it once per synthesis. What it returns are the templates as the CDK wrote them.
 */
export async function prepareAssembly(directory: string, environment: string, endpoint: string): Promise<Assembly> {
  const nested = join(directory, `assembly-${environment}`);
  const manifest = JSON.parse(await readFile(join(nested, 'manifest.json'), 'utf8')) as Manifest;
  const hash = createHash('sha256');
  const stacks: SynthesizedStack[] = [];
  for (const [id, artifact] of Object.entries(manifest.artifacts ?? {})) {
    if (artifact.type !== 'aws:cloudformation:stack') continue;
    const path = join(nested, String(artifact.properties?.['templateFile']));
    const text = await readFile(path, 'utf8');
    hash.update(text);
    const template = JSON.parse(text) as StackTemplate;
    const stackName = String(artifact.properties?.['stackName'] ?? id);
    stacks.push({ stackName, template });
    const adapted = `${JSON.stringify(adaptTemplate(template, endpoint, apiIdOf(stackName)), null, 1)}\n`;
    await writeFile(path, adapted);
    await renameTemplateObject(nested, text, adapted);
  }
  return { stacks, hash: hash.digest('hex') };
}

/** The namespace of the metric that stand-in alarms name; nothing is ever published there. */
export const STAND_IN_NAMESPACE = 'Holdfast/EvaluatedLocally';

/**
 * What the local AWS cannot take as it is. It refuses alarms over metric math: each becomes an alarm of the same name, text
 * and actions over a metric that does not exist; `alarms.ts` evaluates the real definition and sets its state. And a
 * function cannot resolve the API's own host name: it gets the address that works by IP (`gateway-address.ts`). And an API
 * would have another address after every start: it gets the id `apiId`.
 */
export function adaptTemplate(template: StackTemplate, endpoint: string, apiId: string): StackTemplate {
  // One that handlers made themselves is another.
  const ownApi = (id: string): string => (id.startsWith('Handlers') ? `${apiId}-${id.toLowerCase()}` : apiId);
  const resources = Object.entries(template.Resources ?? {}).map(([id, resource]) => {
    if (resource.Type === 'AWS::ApiGatewayV2::Api') {
      const tags = { ...(resource.Properties?.['Tags'] as object | undefined), 'ms-custom-id': ownApi(id) };
      return [id, { ...resource, Properties: { ...resource.Properties, Tags: tags } }] as const;
    }
    if (resource.Type === 'AWS::Lambda::Function')
      return [id, { ...resource, Properties: withReachableApi(resource.Properties, endpoint) }] as const;
    const { Metrics: metrics, ThresholdMetricId: _band, ...rest } = resource.Properties ?? {};
    if (resource.Type !== 'AWS::CloudWatch::Alarm' || metrics === undefined) return [id, resource] as const;
    const standIn = { Namespace: STAND_IN_NAMESPACE, MetricName: id, Statistic: 'Maximum', Period: 60, Threshold: 1 };
    const comparison = { ...rest, ComparisonOperator: 'GreaterThanThreshold' };
    return [id, { ...resource, Properties: { ...standIn, ...comparison, Threshold: 1 } }] as const;
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}

/** `local` of `holdfast-local-gateway`, `local-delivery` of `holdfast-local-delivery`. */
function apiIdOf(stackName: string): string {
  return stackName.replace(/^holdfast-/, '').replace(/-gateway$/, '');
}

function withReachableApi(properties: TemplateResource['Properties'], endpoint: string): Record<string, unknown> {
  const text = JSON.stringify(properties ?? {});
  const byAddress = (api: string): string =>
    JSON.stringify({ 'Fn::Join': ['', [`${endpoint}/_aws/execute-api/`, { Ref: api }]] });
  return JSON.parse(
    text.replace(/\{"Fn::GetAtt":\["(\w+)","ApiEndpoint"\]\}/g, (_, api: string) => byAddress(api)),
  ) as Record<string, unknown>;
}

/** Templates are uploaded under their hash: a changed one needs its own name, or an upload of before would be used. */
async function renameTemplateObject(directory: string, original: string, adapted: string): Promise<void> {
  const was = createHash('sha256').update(original).digest('hex');
  const is = createHash('sha256').update(adapted).digest('hex');
  if (was === is) return;
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.assets.json') && name !== 'manifest.json') continue;
    const path = join(directory, name);
    const text = await readFile(path, 'utf8');
    if (text.includes(was)) await writeFile(path, text.replaceAll(was, is));
  }
}
