/** What CloudFormation would refuse, or would leave behind, found in the templates before anything is changed. */
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { BODY_EXTRA_DAYS } from '#core/config/defaults.ts';
import type { StackPair, Template } from './compare-templates.ts';

/** What such a resource holds is nowhere else. Secrets are adopted again by their name (adopt-secrets.ts). */
const HOLDS_DATA = /^AWS::(?:DynamoDB::\w*Table|S3::Bucket|SQS::Queue)$/;

const TABLES = /^AWS::DynamoDB::(?:Global)?Table$/;

/**
 * Tables that the deployed stack of the gateway holds and the next template of the data stack makes: that deploy would give
 * the handlers a new, empty table, and leave the rows where nobody looks. Their logical ids.
 */
export function movedTables(gateway: Template | undefined, data: Template | undefined): readonly string[] {
  const isTable = (template: Template | undefined, id: string): boolean =>
    TABLES.test(template?.Resources?.[id]?.Type ?? '');
  return Object.keys(gateway?.Resources ?? {}).filter(id => isTable(gateway, id) && isTable(data, id));
}

/**
 * Sentences, each with what to do: an export that a deployed stack still imports; a table, queue or bucket of the gateway
 * that would be made anew or left behind. Tables of handlers are their owner's to take away. `pairs` holds every deployed
 * stack of the environment, also those without a next template. And a bucket that would forget bodies of messages.
 */
export function blockedChanges(environment: string, pairs: readonly StackPair[]): readonly string[] {
  return pairs.flatMap(pair =>
    pair.deployed && pair.next
      ? [
          ...exportsInUse(environment, pair, pairs),
          ...leftBehind(pair, pair.deployed, pair.next),
          ...(pairs.some(each => each.name.endsWith('-delivery') && each.deployed && !each.next)
            ? shorterLives(pair, pair.deployed, pair.next)
            : []),
        ]
      : [],
  );
}

function exportsInUse(environment: string, { name, deployed, next }: StackPair, all: readonly StackPair[]): string[] {
  const stays = exportsOf(next);
  const gone = [...exportsOf(deployed)].filter(([each, value]) => stays.get(each) !== value).map(([each]) => each);
  const users = all.filter(each => each.name !== name && gone.some(one => importsOf(each.deployed).has(one)));
  return users.map(user => {
    const first =
      user.next === undefined
        ? `delete it first, aws cloudformation delete-stack --stack-name ${user.name}`
        : `deploy it first, npx cdk deploy '${environment}/*' --exclusively -c environment=${environment} with its name instead of *`;
    return `${user.name} imports what ${name} would no longer export, and CloudFormation refuses that: ${first}, then deploy again.`;
  });
}

function leftBehind({ name }: StackPair, deployed: Template, next: Template): string[] {
  const found: string[] = [];
  fullDiff({ ...deployed }, { ...next }).resources.forEachDifference((id, change) => {
    const type = change.oldResourceType ?? '';
    const kept = String(deployed.Resources?.[id]?.DeletionPolicy).startsWith('Retain');
    if (!HOLDS_DATA.test(type) || id.startsWith('Handlers') || !kept) return;
    if (change.changeImpact === ResourceImpact.WILL_REPLACE)
      found.push(`${id} of ${name} (${type}) would be made anew, empty. Take the change back that causes it.`);
    if (change.changeImpact === ResourceImpact.WILL_ORPHAN)
      found.push(`${id} of ${name} (${type}) would be left where nothing finds it. Deploy a version that has it.`);
  });
  return found;
}

/** Messages outlive `outbound`; the bucket must not delete their large bodies before them. */
function shorterLives({ name }: StackPair, deployed: Template, next: Template): string[] {
  return Object.keys(deployed.Resources ?? {}).flatMap(id => {
    const [before, after] = [daysOf(deployed, id), daysOf(next, id)];
    if (before === undefined || after === undefined || after >= before) return [];
    return [
      `Without \`outbound\` ${id} of ${name} would delete large bodies after ${after} days instead of ${before}, before the messages that they belong to. Set deadRetentionDays: ${before - BODY_EXTRA_DAYS} in the environment; take it back once the last message is that old.`,
    ];
  });
}

/** Days until the bucket deletes an object. */
function daysOf(template: Template, id: string): number | undefined {
  const properties = template.Resources?.[id]?.Properties as
    | { LifecycleConfiguration?: { Rules?: { ExpirationInDays?: number }[] } }
    | undefined;
  return properties?.LifecycleConfiguration?.Rules?.find(rule => rule.ExpirationInDays)?.ExpirationInDays;
}

function exportsOf(template: Template | undefined): ReadonlyMap<string, string> {
  const outputs = Object.values(template?.Outputs ?? {});
  return new Map(
    outputs.flatMap(each => (each.Export ? [[each.Export.Name, JSON.stringify(each.Value)] as const] : [])),
  );
}

function importsOf(template: Template | undefined): ReadonlySet<string> {
  const found = JSON.stringify(template ?? {}).matchAll(/\{"Fn::ImportValue":"([^"]+)"\}/g);
  return new Set([...found].map(([, name]) => String(name)));
}
