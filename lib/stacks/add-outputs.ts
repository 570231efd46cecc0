import { CfnOutput, type Stack } from 'aws-cdk-lib/core';
import { nameIn } from '#core/names.ts';
import type { AlarmContext } from '../alarms/alarm-spec.ts';
import { toConstructId } from '../construct-id.ts';
import type { GatewayAlarms } from '../constructs/gateway-alarms.ts';

interface OutputSources extends Pick<AlarmContext, 'deployment' | 'store' | 'queue' | 'api' | 'functions'> {
  readonly alarms: GatewayAlarms | undefined;
}

const CONSOLES: Readonly<Record<string, string>> = {
  'cn-': 'console.amazonaws.cn',
  'us-gov-': 'console.amazonaws-us-gov.com',
  'eusc-': 'console.amazonaws-eusc.eu',
};

/** CloudFormation takes 200 outputs of a stack, and some thirty are not URLs. */
const MOST_URLS = 150;
const MANY = 'URL of every source: put its name in (too many sources for an output each)';

/** Everything a person or a tool needs to find this environment; the names are stable. */
export function addOutputs(stack: Stack, { deployment, store, queue, api, functions, alarms }: OutputSources): void {
  const output = (name: string, value: string, description: string): void => {
    new CfnOutput(stack, name, { value, description });
  };
  output('ApiUrl', api.url, 'Origin of every webhook URL');
  if (api.domainTarget !== undefined) output('DomainTarget', api.domainTarget, 'Where the DNS name of `domain` leads');
  output('ApiId', api.api.apiId, 'Id of the HTTP API');
  const isMany = deployment.sources.length > MOST_URLS;
  if (isMany) output('WebhookUrls', `${deployment.publicUrl ?? api.url}/webhooks/<source>`, MANY);
  for (const { source } of isMany ? [] : deployment.sources) {
    const url = source.publicUrl ?? `${api.url}${source.paths[0]}`;
    output(`WebhookUrl${toConstructId(source.id)}`, url, `Give this URL to ${source.spec.title} (source ${source.id})`);
  }
  output('EventsTable', store.events.tableName, 'Table of state items');
  output('PayloadsTable', store.payloads.tableName, 'Table of bodies and result details');
  output('BodiesBucket', store.bodies.bucketName, 'Bucket of large bodies');
  output('WorkQueueUrl', queue.main.queueUrl, 'Main queue');
  output('DeadQueueUrl', queue.dead.queueUrl, 'Dead-letter queue');
  output(
    'DashboardUrl',
    `https://${stack.region}.${consoleOf(deployment.region)}/cloudwatch/home?region=${stack.region}#dashboards/dashboard/${nameIn(deployment.config)}`,
    'Dashboard',
  );
  for (const [severity, topic] of Object.entries(alarms?.topics.topics ?? {})) {
    output(`${toConstructId(severity)}Topic`, topic.topicArn, `Alarms of severity ${severity}`);
  }
  for (const [name, each] of Object.entries(functions)) {
    output(`${toConstructId(name)}Function`, each.function.functionName, `Name of the ${name} function`);
  }
}

/** Where the console of a region's partition is. Not said for a region that is known only when it is deployed: AWS's own. */
function consoleOf(region: string | undefined): string {
  const place = Object.entries(CONSOLES).find(([prefix]) => region?.startsWith(prefix));
  return place?.[1] ?? 'console.aws.amazon.com';
}
