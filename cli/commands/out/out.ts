/** `holdfast out`: webhooks to customers, what became of them, and what on-call does about them. */
import type { RunCommand } from '#cli/run.ts';
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

export function addOut(program: RunCommand): void {
  const out = program.command('out').description('Webhooks to customers: endpoints, deliveries, attempts, retries');
  addOutLists(out);
  addOutApps(out);
  addOutActs(out);
  addOutPortal(out);
  addOutTypes(out);
  addOutReceiver(out);
  addOutImport(out);
  addOutExport(out);
  addOutMessages(out);
  addOutMaster(out);
}
