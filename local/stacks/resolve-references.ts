import type { DeployedStack } from './deployed-stack.ts';

/**
 * Replaces the references in a template value by what was deployed: Ref, Fn::Join, values of other stacks, and the
 * attributes of queues that alarms and redrive policies name. Throws on a reference it does not know, naming it.
 */
export function resolveReferences(value: unknown, stack: DeployedStack, all: readonly DeployedStack[]): unknown {
  if (Array.isArray(value)) return value.map(item => resolveReferences(item, stack, all));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries.length === 1 && entries[0] ? entries[0] : ['', undefined];
  switch (name) {
    case 'Ref':
      return reference(String(argument), stack);
    case 'Fn::GetAtt':
      return attribute(argument as [string, string], stack);
    case 'Fn::Join': {
      const [separator, parts] = argument as [string, unknown[]];
      return parts.map(part => String(resolveReferences(part, stack, all))).join(separator);
    }
    case 'Fn::ImportValue': {
      const exported = all.map(it => it.exports[String(argument)]).find(it => it !== undefined);
      if (exported === undefined) throw new Error(`No deployed stack exports "${String(argument)}".`);
      return exported;
    }
    case 'Fn::GetStackOutput': {
      const { StackName: name, OutputName: output } = argument as { StackName: string; OutputName: string };
      const found = all.find(it => it.stackName === name)?.outputs[output];
      if (found === undefined) throw new Error(`Stack "${name}" has no output "${output}".`);
      return found;
    }
    default:
      return Object.fromEntries(entries.map(([key, item]) => [key, resolveReferences(item, stack, all)]));
  }
}

function reference(id: string, stack: DeployedStack): string {
  if (id === 'AWS::Region') return stack.region;
  if (id === 'AWS::AccountId') return stack.accountId;
  if (id === 'AWS::Partition') return 'aws';
  if (id === 'AWS::StackName') return stack.stackName;
  const physicalId = stack.physicalIds[id];
  if (physicalId === undefined) throw new Error(`Stack ${stack.stackName} has no resource "${id}".`);
  return physicalId;
}

function attribute([id, name]: [string, string], stack: DeployedStack): string {
  const physicalId = reference(id, stack);
  const queueName = physicalId.split('/').at(-1) ?? '';
  if (stack.template.Resources?.[id]?.Type === 'AWS::SQS::Queue') {
    if (name === 'QueueName') return queueName;
    if (name === 'Arn') return `arn:aws:sqs:${stack.region}:${stack.accountId}:${queueName}`;
  }
  throw new Error(`The value of ${id}.${name} in stack ${stack.stackName} cannot be read back after a deployment.`);
}
