/** `holdfast mcp`: the same as these commands for an agent, over the Model Context Protocol. */
import type { Command } from 'commander';
import { closest } from '#core/problem.ts';
import { usageError } from '../cli-error.ts';
import { wholeNumber } from '../filter-options.ts';
import { AGENT_RIGHTS, type AgentRight, type CommandSet, withExamples } from '../run.ts';

interface McpOptions {
  readonly allow?: string;
  readonly limit: string;
}

export function addMcp(program: Command, set: CommandSet): void {
  withExamples(
    program
      .command('mcp')
      .description(
        'Serve an agent over stdin and stdout (Model Context Protocol), with your AWS credentials. It only looks',
      )
      .option('--allow <rights>', `what it may do beside looking, separated by commas: ${AGENT_RIGHTS.join(', ')}`)
      .option('--limit <n>', 'events or deliveries that one call may touch: 1 to 500', '100'),
    ['holdfast mcp --env prod', 'as the command of a server in the configuration of your agent'],
    ['holdfast mcp --allow bodies', 'it may also read bodies, each by its id; they go to its model'],
    ['holdfast mcp --allow replay,retry --limit 50', 'it may act, after a dry run and with a reason'],
  ).action(
    set.action(async (run, { allow, limit }: McpOptions) => {
      const rights = readRights(allow);
      const most = wholeNumber('limit', limit, 1, 500);
      // Before anything is served: wrong credentials are better known here than to the agent.
      const { place } = await run.gateway();
      run.out.note(`Serving an agent: ${run.environment} in ${place}`);
      await run.serveAgent({ operator: run, allow: rights, limit: most, until: run.io.interrupted });
    }),
  );
}

function readRights(allow: string | undefined): ReadonlySet<AgentRight> {
  const names = allow?.split(',').map(name => name.trim()) ?? [];
  const rights = names.map(name => {
    const right = AGENT_RIGHTS.find(each => each === name);
    if (right !== undefined) return right;
    const near = closest(name, AGENT_RIGHTS);
    const fix = near === undefined ? 'leave it out: then it only looks' : `did you mean ${near}?`;
    throw usageError(`--allow: "${name.slice(0, 40)}"`, AGENT_RIGHTS.join(', '), fix);
  });
  return new Set(rights);
}
