/** What the templates of a checkout would change in an environment that is deployed, for a person to read before it happens. */
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { type TemplateResource as PricedResource, standingCharges } from '#operator/cost/standing-charges.ts';

interface TemplateResource extends PricedResource {
  readonly DeletionPolicy?: string;
}

export interface Template {
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: string } }>>;
}

/** One stack: what is deployed, and what would be. Without the first it is new, without the second it is left alone. */
export interface StackPair {
  readonly name: string;
  readonly deployed?: Template;
  readonly next?: Template;
}

export interface Changes {
  /** CloudFormation makes a new one, and what the old one holds is gone: `holdfast-dev-data Events (AWS::DynamoDB::Table)`. */
  readonly replaced: readonly string[];
  /** Replaced only if a value that is known at deploy time differs. */
  readonly maybeReplaced: readonly string[];
  readonly deleted: readonly string[];
  /** No longer managed, but kept. */
  readonly orphaned: readonly string[];
  readonly created: number;
  readonly updated: number;
  /** `role may dynamodb:PutItem on table`, for what it may not do now. */
  readonly permissions: readonly string[];
  /** Dollars a month for what is there even without an event. */
  readonly monthly: { readonly before: number; readonly after: number };
}

export function compareTemplates(pairs: readonly StackPair[]): Changes {
  const changes = { replaced: [], maybeReplaced: [], deleted: [], orphaned: [] } as Record<string, string[]>;
  const lists: Readonly<Partial<Record<ResourceImpact, string>>> = {
    [ResourceImpact.WILL_REPLACE]: 'replaced',
    [ResourceImpact.MAY_REPLACE]: 'maybeReplaced',
    [ResourceImpact.WILL_DESTROY]: 'deleted',
    [ResourceImpact.WILL_ORPHAN]: 'orphaned',
  };
  let [created, updated] = [0, 0];
  const permissions = new Set<string>();
  for (const { name, deployed, next } of pairs) {
    if (next === undefined) continue;
    const difference = fullDiff({ ...(deployed ?? { Resources: {} }) }, { ...next });
    difference.resources.forEachDifference((id, change) => {
      const list = lists[change.changeImpact];
      const type = change.oldResourceType ?? change.newResourceType;
      if (list !== undefined) changes[list]?.push(`${name} ${id} (${type})`);
      else if (change.changeImpact === ResourceImpact.WILL_CREATE) created++;
      else if (change.changeImpact === ResourceImpact.WILL_UPDATE) updated++;
    });
    // Of a stack that is all new, everything is; nobody reads that.
    if (deployed === undefined) continue;
    for (const { effect, principals, actions, resources } of difference.iamChanges.statements.additions) {
      if (effect !== 'Allow') continue;
      const who = principals.values.map(plain).join(', ');
      permissions.add(`${who} may ${actions.values.join(', ')} on ${resources.values.map(plain).join(', ')}`);
    }
    for (const { identityArn, managedPolicyArn } of difference.iamChanges.managedPolicies.additions)
      permissions.add(`${plain(identityArn)} has the policy ${plain(managedPolicyArn)}`);
  }
  const { replaced = [], maybeReplaced = [], deleted = [], orphaned = [] } = changes;
  const monthly = {
    before: dollars(pairs.map(it => it.deployed)),
    after: dollars(pairs.map(it => it.next ?? it.deployed)),
  };
  return { replaced, maybeReplaced, deleted, orphaned, created, updated, permissions: [...permissions], monthly };
}

/** `${EventsTable.Arn}` without the marks of a template. */
const plain = (value: string): string => value.replace(/\$\{([^{}]+)\}/g, '$1');

function dollars(templates: readonly (Template | undefined)[]): number {
  const resources = templates.flatMap(it => Object.values(it?.Resources ?? {}));
  return standingCharges(resources).reduce((sum, each) => sum + each.dollars, 0);
}

/** True for a stack whose resources hold events. */
const holdsData = (line: string): boolean => /^\S+-(data|delivery)\b/.test(line);

/** The changes as lines of text. An unchanged environment is one line. */
export function renderChanges(environment: string, changes: Changes): readonly string[] {
  const { replaced, maybeReplaced, deleted, orphaned, created, updated, permissions, monthly } = changes;
  const listed = [...replaced, ...maybeReplaced, ...deleted, ...orphaned];
  if (created + updated + listed.length === 0) return [`Nothing changes in ${environment}.`];
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`  ${title}:`, ...lines.map(line => `    ${line}`)];
  const risky = [...replaced, ...deleted].filter(holdsData);
  const [before, after] = [monthly.before.toFixed(2), monthly.after.toFixed(2)];
  return [
    `In ${environment}: ${created} new ${created === 1 ? 'resource' : 'resources'}, ${updated} changed in place.`,
    ...section('replaced by a new one', replaced),
    ...section('replaced if a value known at deploy time differs', maybeReplaced),
    ...section('deleted', deleted),
    ...section('no longer managed, but kept', orphaned),
    ...section('new permissions', permissions),
    before === after
      ? `  Fixed cost: $${after} a month, as before (alarms, dashboards, secrets, keys).`
      : `  Fixed cost: $${after} a month instead of $${before} (alarms, dashboards, secrets, keys).`,
    ...(risky.length === 0
      ? []
      : [
          `  ${risky.length === 1 ? 'One of these resources holds' : `${risky.length} of these resources hold`} stored events or settings. UPGRADING.md of a version names what it means to change; anything else is a mistake: do not deploy.`,
        ]),
  ];
}
