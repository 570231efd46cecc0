/** `holdfast out`: webhooks to customers, what became of them, and what on-call does about them. */
import type { Command } from 'commander';
import type { CommandSet } from '../run.ts';
import { addOutActs } from './out-acts.ts';
import { addOutApps } from './out-apps.ts';
import { addOutImport } from './out-import.ts';
import { addOutLists } from './out-lists.ts';
import { addOutPortal } from './out-portal.ts';
import { addOutReceiver } from './out-receiver.ts';
import { addOutTypes } from './out-types.ts';

export function addOut(program: Command, set: CommandSet): void {
  const out = program.command('out').description('Webhooks to customers: endpoints, deliveries, attempts, retries');
  addOutLists(out, set);
  addOutApps(out, set);
  addOutActs(out, set);
  addOutPortal(out, set);
  addOutTypes(out, set);
  addOutReceiver(out, set);
  addOutImport(out, set);
}
