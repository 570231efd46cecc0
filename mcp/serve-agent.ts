/** `holdfast mcp`: serves an agent over stdin and stdout. Nothing but the protocol is written to stdout. */
import type { Server, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type PortalPlace, portalApi, portalSession } from '#operator/customers/portal-api.ts';
import type { Operator } from '#operator/operator.ts';
import { pauseTool, replayTool } from './act-tools.ts';
import { agentServer } from './agent-server.ts';
import { bodyTool } from './body-tool.ts';
import { Confirmations } from './confirmations.ts';
import { customerBodyTool, customerOf, customerRetryTool, customerTools } from './customer-tools.ts';
import { lookTools } from './look-tools.ts';
import { CUSTOMER_QUESTIONS, OPERATOR_QUESTIONS } from './prompts.ts';
import { retryTool } from './retry-tool.ts';

export interface AgentOptions {
  readonly operator: Operator;
  readonly allow: ReadonlySet<'bodies' | 'replay' | 'pause' | 'retry'>;
  /** Events or deliveries that one call may touch. */
  readonly limit: number;
  /** Instead of the operator's environment. */
  readonly portal?: PortalPlace;
  readonly until: AbortSignal;
  /** Of what the client sent and nobody can answer. */
  tell?(problem: string): void;
}

/** Resolves when the client has gone, or `until` is aborted. Throws OperatorError where a portal does not take its token. */
export async function serveAgent(options: AgentOptions, transport: Transport = onStdio()): Promise<void> {
  const { until, portal } = options;
  const server = portal === undefined ? operatorServer(options) : await customerServer(options, portal);
  const closed = new Promise<void>(resolve => {
    server.onclose = resolve;
  });
  server.onerror = ({ message }) => options.tell?.(`Not understood: ${message.split('\n')[0]}`);
  until.addEventListener('abort', () => void server.close(), { once: true });
  await server.connect(transport);
  if (until.aborted) await server.close();
  await closed;
}

function operatorServer({ operator, allow, limit }: AgentOptions): Server {
  const acting = { confirmations: new Confirmations(operator.clock), limit };
  const tools = [
    ...lookTools(operator),
    ...(allow.has('bodies') ? [bodyTool(operator)] : []),
    ...(allow.has('replay') ? [replayTool(operator, acting)] : []),
    ...(allow.has('pause') ? [pauseTool(operator, acting)] : []),
    ...(allow.has('retry') ? [retryTool(operator, acting)] : []),
  ];
  const absent = { body: 'bodies', replay: 'replay', pause: 'pause', retry: 'retry' };
  return agentServer({ tools, absent, questions: OPERATOR_QUESTIONS });
}

async function customerServer({ operator, allow, limit }: AgentOptions, portal: PortalPlace): Promise<Server> {
  const { clock } = operator;
  const api = portalApi(portal);
  const customer = customerOf(api, await portalSession(api), clock);
  const acting = { confirmations: new Confirmations(clock), limit };
  const tools = [
    ...customerTools(customer),
    ...(allow.has('bodies') ? [customerBodyTool(customer)] : []),
    ...(allow.has('retry') ? [customerRetryTool(customer, acting)] : []),
  ];
  return agentServer({ tools, absent: { body: 'bodies', retry: 'retry' }, questions: CUSTOMER_QUESTIONS });
}

/** The transport of the SDK goes on when its client has gone. */
function onStdio(): Transport {
  const transport = new StdioServerTransport();
  for (const event of ['end', 'close']) process.stdin.once(event, () => void transport.close());
  return transport;
}
