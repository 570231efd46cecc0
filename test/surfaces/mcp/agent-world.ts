/** An agent at `holdfast mcp`: the SDK's own client, the real command, and the whole product in memory. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { serveAgent } from '#mcp/serve-agent.ts';
import type { CliOptions, CliWorld } from '../cli/cli-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON
export type Json = any;

export interface Answer {
  readonly isError: boolean;
  readonly value: Json;
}

/** `holdfast mcp` with these arguments, and a client that is connected to it. `wait`: for what is asked of a real socket. */
export async function agentAt(
  cli: CliWorld,
  args: readonly string[] = [],
  options: CliOptions = {},
  wait: <T>(work: Promise<T>) => Promise<T> = work => cli.world.clock.complete(work),
) {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const ended = cli.run(['mcp', ...args], {
    realTime: true,
    serveAgent: given => serveAgent(given, there),
    ...options,
  });
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(here);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<Answer> => {
    const asked = client.callTool({ name, arguments: given });
    const { content, isError } = await wait(asked);
    const [{ text = '' } = {}] = content as readonly { readonly text?: string }[];
    return { isError: isError === true, value: JSON.parse(text) };
  };
  const ask = async (name: string, given: Record<string, unknown> = {}): Promise<Json> =>
    (await call(name, given)).value;
  return { client, call, ask, ended };
}

/** Every text of an answer that stands outside of a field that is marked. Names of fields, too. */
export const plainTexts = (value: unknown): readonly string[] => textsOf(value, name => name !== 'untrusted');
export const allTexts = (value: unknown): readonly string[] => textsOf(value, () => true);

function textsOf(value: unknown, into: (name: string) => boolean): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const named = Array.isArray(value) ? [] : Object.keys(value);
  return [...named, ...Object.entries(value).flatMap(([name, each]) => (into(name) ? textsOf(each, into) : []))];
}
