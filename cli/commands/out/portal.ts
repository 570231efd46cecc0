/** `holdfast out portal`: a link that opens the portal as one customer, and the end of links. */
import { wholeNumber } from '#cli/filter-options.ts';
import type { Run, RunCommand } from '#cli/run.ts';
import { portalLink, revokePortalLinks } from '#operator/customers/portal-links.ts';

interface PortalOptions {
  readonly readOnly?: boolean;
  readonly minutes: string;
  readonly revoke?: string;
  readonly yes?: boolean;
}

export function addOutPortal(out: RunCommand): void {
  out
    .command('portal')
    .argument('<app>', 'id, or uid:<uid>')
    .description('Make a link that opens the portal as this customer sees it, or end links')
    .option('--read-only', 'a link that shows everything and changes nothing')
    .option('--minutes <n>', 'how many minutes the link is valid', '60')
    .option('--revoke <link>', 'instead, end this link (tok_…), or all that were made until now')
    .option('--yes', 'do not ask')
    .examples(
      ['holdfast out portal uid:acme --read-only', 'look at what the customer sees'],
      [
        'holdfast out portal uid:acme --revoke tok_6f1c2d3e4a5b47689c0d1e2f3a4b5c6d',
        'a link that got into wrong hands',
      ],
      ['holdfast out portal uid:acme --revoke all', 'nobody knows which link it was'],
    )
    .does(async (run, app: string, { readOnly = false, minutes, revoke: link, yes }: PortalOptions) => {
      if (link !== undefined) return revoke(run, app, link, yes);
      const seconds = 60 * wholeNumber('minutes', minutes, 1, 1_440);
      const made = await portalLink(run, app, { readOnly, seconds });
      run.out.result(made, () => [made.url]);
      run.out.note(`Good until ${made.expires_at}. Whoever has it is this customer.`);
      run.out.next(run.command(`out portal ${app} --revoke ${made.id}`), 'ends it before that');
    });
}

async function revoke(run: Run, app: string, link: string, yes: boolean | undefined): Promise<void> {
  const token = link === 'all' ? undefined : link;
  if (token === undefined) await run.confirm(`End every portal link of ${app} in ${run.environment}?`, yes);
  await revokePortalLinks(run, app, token);
  run.out.result({ application: app, token: token ?? null }, () => [
    `${token ?? `Every link of ${app} that was made until now`} is refused from now on`,
  ]);
}
