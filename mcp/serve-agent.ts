/** `holdfast mcp`: serves an agent over stdin and stdout. Nothing but the protocol is written to stdout. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Operator } from '#operator/operator.ts';
import { pauseTool, replayTool } from './act-tools.ts';
import { agentServer } from './agent-server.ts';
import { bodyTool } from './body-tool.ts';
import { Confirmations } from './confirmations.ts';
import { lookTools } from './look-tools.ts';
import { retryTool } from './retry-tool.ts';

export interface AgentOptions {
  readonly operator: Operator;
  readonly allow: ReadonlySet<'bodies' | 'replay' | 'pause' | 'retry'>;
  /** Events or deliveries that one call may touch. */
  readonly limit: number;
  readonly until: AbortSignal;
}

/** Resolves when the client has gone, or `until` is aborted. */
export async function serveAgent(options: AgentOptions, transport: Transport = onStdio()): Promise<void> {
  const { operator, allow, limit } = options;
  const acting = { confirmations: new Confirmations(operator.clock), limit };
  const tools = [
    ...lookTools(operator),
    ...(allow.has('bodies') ? [bodyTool(operator)] : []),
    ...(allow.has('replay') ? [replayTool(operator, acting)] : []),
    ...(allow.has('pause') ? [pauseTool(operator, acting)] : []),
    ...(allow.has('retry') ? [retryTool(operator, acting)] : []),
  ];
  const server = agentServer(tools, { body: 'bodies', replay: 'replay', pause: 'pause', retry: 'retry' });
  const closed = new Promise<void>(resolve => {
    server.onclose = resolve;
  });
  options.until.addEventListener('abort', () => void server.close(), { once: true });
  await server.connect(transport);
  if (options.until.aborted) await server.close();
  await closed;
}

/** The transport of the SDK goes on when its client has gone. */
function onStdio(): Transport {
  const transport = new StdioServerTransport();
  for (const event of ['end', 'close']) process.stdin.once(event, () => void transport.close());
  return transport;
}
