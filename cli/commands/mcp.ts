/** `holdfast mcp`: the same as these commands for an agent, over the Model Context Protocol. */
import { readPortalToken, readPortalUrl } from '#operator/customers/portal-api.ts';
import { oneOf, wholeNumber } from '../filter-options.ts';
import { AGENT_RIGHTS, type AgentRight, type RunCommand } from '../run.ts';

interface McpOptions {
  readonly allow?: string;
  readonly limit: string;
  readonly portal?: string;
}

const TOKEN = 'HOLDFAST_PORTAL_TOKEN';
/** What a customer's agent may be allowed. */
const CUSTOMER_RIGHTS = ['bodies', 'retry'] as const;

export function addMcp(program: RunCommand): void {
  program
    .command('mcp')
    .description(
      'Serve an agent over stdin and stdout (MCP), with your AWS credentials. It only looks, unless you allow more',
    )
    .option('--allow <rights>', `what it may do beside looking, separated by commas: ${AGENT_RIGHTS.join(', ')}`)
    .option('--limit <n>', 'events or deliveries that one call may touch: 1 to 500', '100')
    .option('--portal <url>', `instead of an environment, one customer over its portal; the token is read of ${TOKEN}`)
    .examples(
      ['holdfast mcp --env prod', 'as the command of a server in the configuration of your agent'],
      ['holdfast mcp --allow bodies', 'it may also read bodies, each by its id; they go to its model'],
      ['holdfast mcp --allow replay,retry --limit 50', 'it may act, after a dry run and with a reason'],
      [
        'holdfast mcp --portal https://hooks.acme.com/portal',
        'for who receives the webhooks: without AWS, with a token',
      ],
    )
    .does(async (run, { allow, limit, portal }: McpOptions) => {
      const rights = readRights(allow, portal === undefined ? AGENT_RIGHTS : CUSTOMER_RIGHTS);
      const most = wholeNumber('limit', limit, 1, 500);
      const options = {
        operator: run,
        allow: rights,
        limit: most,
        until: run.io.interrupted,
        tell: run.out.note.bind(run.out),
      };
      if (portal !== undefined) {
        const place = { url: readPortalUrl(portal), token: readPortalToken(TOKEN, run.io.env[TOKEN]) };
        run.out.note(`Serving an agent: ${place.url}`);
        await run.serveAgent({ ...options, portal: place });
        return;
      }
      // Before anything is served: wrong credentials are better known here than to the agent.
      const { place } = await run.gateway();
      run.out.note(`Serving an agent: ${run.environment} in ${place}`);
      await run.serveAgent(options);
    });
}

function readRights(allow: string | undefined, allowed: readonly AgentRight[]): ReadonlySet<AgentRight> {
  const names = allow?.split(',').map(name => name.trim()) ?? [];
  return new Set(names.map(name => oneOf('--allow', name, allowed, 'leave it out: then it only looks')));
}
