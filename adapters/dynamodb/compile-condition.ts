import type { Condition } from '#core/condition.ts';
import { DependencyError } from '#core/errors.ts';
import type { Placeholders } from './placeholders.ts';

const OPERATORS = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' } as const;

/** A condition as a DynamoDB expression. Throws DependencyError (`not_applied`) for an empty group. */
export function compileCondition(condition: Condition, placeholders: Placeholders): string {
  if ('all' in condition) return compileGroup(condition.all, ' AND ', placeholders);
  if ('any' in condition) return compileGroup(condition.any, ' OR ', placeholders);
  const name = placeholders.name(condition.attribute);
  switch (condition.op) {
    case 'exists':
      return `attribute_exists(${name})`;
    case 'missing':
      return `attribute_not_exists(${name})`;
    case 'in':
      return `${name} IN (${condition.values.map(value => placeholders.value(value)).join(', ')})`;
    default:
      return `${name} ${OPERATORS[condition.op]} ${placeholders.value(condition.value)}`;
  }
}

function compileGroup(parts: readonly Condition[], joint: string, placeholders: Placeholders): string {
  if (parts.length === 0) {
    throw new DependencyError('dynamodb', 'an empty group of conditions cannot be written down', {
      outcome: 'not_applied',
    });
  }
  const compiled = parts.map(part => compileCondition(part, placeholders));
  // DynamoDB refuses redundant parentheses, such as those around a group of one.
  return compiled.length === 1 ? (compiled[0] as string) : `(${compiled.join(joint)})`;
}
