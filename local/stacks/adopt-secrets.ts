/** Secrets that left with their source and were kept: the stack takes them back, with their values. */
import {
  type CloudFormationClient,
  CreateChangeSetCommand,
  ExecuteChangeSetCommand,
  waitUntilChangeSetCreateComplete,
  waitUntilStackImportComplete,
} from '@aws-sdk/client-cloudformation';
import { DescribeSecretCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { UserError } from '#local/shell/user-error.ts';
import type { StackPair, Template } from './compare-templates.ts';

const SECRET = 'AWS::SecretsManager::Secret';
/** Bytes of a template that a call may hold; a larger one is read from a bucket. */
const MOST_TEMPLATE_BYTES = 51_200;
const WAIT = { maxWaitTime: 600, minDelay: 1, maxDelay: 5 } as const;

interface Kept {
  readonly id: string;
  readonly name: string;
  readonly arn: string;
}

/**
 * Imports into the stack each secret that its next template makes and that is already there. CloudFormation would refuse to
 * make a second one of the name, and its automatic import does not know secrets (docs/decisions/a-setting-changes-only-its-own-resources.md). Answers with the
 * names. Throws UserError when the template is too large for a call, and what AWS answers.
 */
export async function adoptSecrets(
  {
    cloudFormation,
    secrets,
  }: { readonly cloudFormation: CloudFormationClient; readonly secrets: SecretsManagerClient },
  { name: StackName, deployed, next }: StackPair,
): Promise<readonly string[]> {
  if (deployed === undefined || next === undefined) return [];
  const kept = await keptSecrets(secrets, deployed, next);
  if (kept.length === 0) return [];
  const added = Object.fromEntries(kept.map(({ id }) => [id, next.Resources?.[id]]));
  const TemplateBody = JSON.stringify({ ...deployed, Resources: { ...deployed.Resources, ...added } });
  if (Buffer.byteLength(TemplateBody) > MOST_TEMPLATE_BYTES)
    throw new UserError(
      `Not deployed: ${kept.map(each => each.name).join(', ')} ${kept.length === 1 ? 'is' : 'are'} already there, and the template of ${StackName} is too large to import secrets with one call. Import with npx cdk import, then deploy again.`,
    );
  const ChangeSetName = `adopt-${Date.now()}`;
  const change = { StackName, ChangeSetName };
  await cloudFormation.send(
    new CreateChangeSetCommand({
      ...change,
      ChangeSetType: 'IMPORT',
      TemplateBody,
      ResourcesToImport: kept.map(({ id, arn }) => ({
        ResourceType: SECRET,
        LogicalResourceId: id,
        ResourceIdentifier: { Id: arn },
      })),
    }),
  );
  await waitUntilChangeSetCreateComplete({ client: cloudFormation, ...WAIT }, change);
  await cloudFormation.send(new ExecuteChangeSetCommand(change));
  await waitUntilStackImportComplete({ client: cloudFormation, ...WAIT }, { StackName });
  return kept.map(each => each.name);
}

async function keptSecrets(client: SecretsManagerClient, deployed: Template, next: Template): Promise<readonly Kept[]> {
  const made = Object.entries(next.Resources ?? {}).filter(
    ([id, { Type, DeletionPolicy }]) =>
      Type === SECRET && deployed.Resources?.[id] === undefined && String(DeletionPolicy).startsWith('Retain'),
  );
  const found = made.map(async ([id, { Properties }]) => {
    const name = String(Properties?.['Name']);
    const arn = await arnOf(client, name);
    return arn === undefined ? [] : [{ id, name, arn }];
  });
  return (await Promise.all(found)).flat();
}

/** Undefined for a secret that is not there, or that is being deleted. */
async function arnOf(client: SecretsManagerClient, SecretId: string): Promise<string | undefined> {
  try {
    const { ARN, DeletedDate } = await client.send(new DescribeSecretCommand({ SecretId }));
    return DeletedDate === undefined ? ARN : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}
