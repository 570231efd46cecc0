/** `holdfast out`: webhooks to customers, what became of them, and what on-call does about them. */
import type { Command } from 'commander';
import type { CommandSet } from '#cli/run.ts';
import { addOutActs } from './acts.ts';
import { addOutApps } from './apps.ts';
import { addOutExport } from './export.ts';
import { addOutImport } from './import.ts';
import { addOutLists } from './lists.ts';
import { addOutMaster } from './master.ts';
import { addOutMessages } from './messages.ts';
import { addOutPortal } from './portal.ts';
import { addOutReceiver } from './receiver.ts';
import { addOutTypes } from './types.ts';

export function addOut(program: Command, set: CommandSet): void {
  const out = program.command('out').description('Webhooks to customers: endpoints, deliveries, attempts, retries');
  addOutLists(out, set);
  addOutApps(out, set);
  addOutActs(out, set);
  addOutPortal(out, set);
  addOutTypes(out, set);
  addOutReceiver(out, set);
  addOutImport(out, set);
  addOutExport(out, set);
  addOutMessages(out, set);
  addOutMaster(out, set);
}
