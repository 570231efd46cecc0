import type { Deployment } from '#core/config/deployment.ts';
import { nameIn } from '#core/names.ts';
import { terminalProgress } from '#local/shell/progress.ts';
import { UserError } from '#local/shell/user-error.ts';
import { blockedChanges, movedTables } from './blocked-changes.ts';
import type { StackPair } from './compare-templates.ts';
import { leftStacks } from './left-stacks.ts';
import { type SynthesizedChanges, showChanges } from './show-changes.ts';

/** Says what will change, before anybody agrees to it. What was compared is what is deployed: its folder is `assembly`. */
export async function announceChanges(deployment: Deployment): Promise<SynthesizedChanges> {
  const announced = await terminalProgress().step('Compare with what is deployed', () => showChanges(deployment));
  refuseMovedTables(deployment, announced.pairs);
  const left = (await leftStacks(deployment)).map(each => each.pair);
  const blocked = blockedChanges(deployment.config.environment, [...announced.pairs, ...left]);
  if (blocked.length > 0) throw new UserError(`Not deployed, and nothing was changed:\n\n${blocked.join('\n\n')}`);
  console.log(`\n${announced.lines.join('\n')}\n`);
  return announced;
}

/** Tables of handlers were in the stack of the gateway once: none may be left behind there with its rows. */
function refuseMovedTables({ config }: Deployment, pairs: readonly StackPair[]): void {
  const pairOf = (name: 'gateway' | 'data') => pairs.find(each => each.name === nameIn(config, name));
  const stack = nameIn(config, 'gateway');
  const moved = movedTables(pairOf('gateway')?.deployed, pairOf('data')?.next);
  if (moved.length === 0) return;
  throw new UserError(
    `Not deployed: ${moved.join(', ')} ${moved.length === 1 ? 'is a table' : 'are tables'} of the stack ${stack}. handlers/resources.ts makes tables in the data stack now, so handlers would get new, empty ones. To keep the rows, make the table in context.gateway, or move it: docs/operate/deploy.md, "Move a table into the data stack".`,
  );
}
