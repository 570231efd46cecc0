/** `holdfast out portal`: a link that opens the portal as one customer. */
import type { Command } from 'commander';
import { portalLink } from '#operator/deliveries.ts';
import { wholeNumber } from '../filter-options.ts';
import { type CommandSet, withExamples } from '../run.ts';

interface PortalOptions {
  readonly readOnly?: boolean;
  readonly minutes: string;
}

export function addOutPortal(out: Command, set: CommandSet): void {
  withExamples(
    out
      .command('portal')
      .argument('<app>', 'id, or uid:<uid>')
      .description('Make a link that opens the portal as this customer sees it')
      .option('--read-only', 'a link that shows everything and changes nothing')
      .option('--minutes <n>', 'how many minutes the link is valid', '60'),
    ['holdfast out portal uid:acme --read-only', 'look at what the customer sees'],
  ).action(
    set.action(async (run, app: string, { readOnly = false, minutes }: PortalOptions) => {
      const seconds = 60 * wholeNumber('minutes', minutes, 1, 1_440);
      const link = await portalLink(run, app, { readOnly, seconds });
      run.out.result(link, () => [link.url]);
      run.out.note(`Good until ${link.expires_at}. Whoever has it is this customer.`);
    }),
  );
}
