/** `holdfast out portal`, `portal-revoke`: a link that opens the portal as one customer, and the end of links. */
import type { Command } from 'commander';
import { usageError } from '#cli/cli-error.ts';
import { wholeNumber } from '#cli/filter-options.ts';
import { type CommandSet, withExamples } from '#cli/run.ts';
import { portalLink, revokePortalLinks } from '#operator/customers/portal-links.ts';

interface PortalOptions {
  readonly readOnly?: boolean;
  readonly minutes: string;
}

interface RevokeOptions {
  readonly all?: boolean;
  readonly yes?: boolean;
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
      run.out.next(run.command(`out portal-revoke ${app} ${link.id}`), 'ends it before that');
    }),
  );

  withExamples(
    out
      .command('portal-revoke')
      .argument('<app>', 'id, or uid:<uid>')
      .argument('[token]', 'the id of one link: tok_…')
      .description('End links to the portal of this customer: one by its id, or all')
      .option('--all', 'every link that was made until now')
      .option('--yes', 'do not ask'),
    ['holdfast out portal-revoke uid:acme tok_6f1c2d3e4a5b47689c0d1e2f3a4b5c6d', 'a link that got into wrong hands'],
    ['holdfast out portal-revoke uid:acme --all', 'nobody knows which link it was'],
  ).action(
    set.action(async (run, app: string, token: string | undefined, { all = false, yes }: RevokeOptions) => {
      if (all === (token !== undefined)) {
        const given = all ? 'Both the id of a link and --all' : 'Neither the id of a link nor --all';
        throw usageError(given, 'one of them', run.command(`out portal-revoke ${app} --all`));
      }
      if (all) await run.confirm(`End every portal link of ${app} in ${run.environment}?`, yes);
      await revokePortalLinks(run, app, token);
      const revoked = { application: app, token: token ?? null };
      run.out.result(revoked, () => [
        `${token ?? `Every link of ${app} that was made until now`} is refused from now on`,
      ]);
    }),
  );
}
