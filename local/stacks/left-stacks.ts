/** Stacks of an environment that the configuration no longer has: a deploy does not touch them, and they go on. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { Deployment } from '#core/config/deployment.ts';
import { EDGE_REGION } from '#core/config/edge-config.ts';
import { nameIn } from '#core/names.ts';
import type { StackPair } from './compare-templates.ts';
import { deployedTemplate } from './read-stacks.ts';

interface OptionalStack {
  readonly suffix: 'delivery' | 'edge';
  readonly setting: 'outbound' | 'edge';
  readonly region?: string;
  readonly meanwhile: string;
}

/** The stacks that a setting brings, and what each does while the setting is gone. */
const OPTIONAL: readonly OptionalStack[] = [
  { suffix: 'delivery', setting: 'outbound', meanwhile: 'it goes on sending, and is billed. Its data stays' },
  {
    suffix: 'edge',
    setting: 'edge',
    region: EDGE_REGION,
    meanwhile: 'CloudFront and its web ACL are billed, about $6.40 a month. Give providers the other URL first',
  },
];

export interface LeftStack {
  readonly pair: StackPair;
  /** For a person: what it does, and the command that takes it away. */
  readonly line: string;
}

/** `clientOf` answers with the client of a region. Throws what AWS answers, but for a stack that is not there. */
export async function leftStacks(
  { config, edge, region }: Pick<Deployment, 'config' | 'edge' | 'region'>,
  clientOf = (where?: string) => new CloudFormationClient(where === undefined ? {} : { region: where }),
): Promise<readonly LeftStack[]> {
  const wanted = { outbound: config.outbound !== undefined, edge: edge !== undefined };
  const found = OPTIONAL.filter(each => !wanted[each.setting]).map(async each => {
    const name = nameIn(config, each.suffix);
    const deployed = await deployedTemplate(clientOf(each.region ?? region), name);
    if (deployed === undefined) return [];
    const where = each.region === undefined ? '' : ` --region ${each.region}`;
    const line = `${name} is deployed, and the environment has no ${each.setting}: ${each.meanwhile}. To take it away: aws cloudformation delete-stack --stack-name ${name}${where}`;
    return [{ pair: { name, deployed }, line }];
  });
  return (await Promise.all(found)).flat();
}
