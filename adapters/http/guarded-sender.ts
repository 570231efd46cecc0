/**
 * The one way out to addresses that customers chose. Each session has its own connections: never Node's global agent, whose
 * kept sockets another lookup made. What is checked where: the URL before every request (core/outbound/address), names
 * and addresses when a connection is made (guarded-agent.ts), limits in exchange.ts.
 */
import type { Agent } from 'node:http';
import { checkTarget, type TargetRules } from '#core/outbound/address/target-url.ts';
import type { Answer, OutgoingRequest, SenderSession, WebhookSender } from '#core/outbound/ports.ts';
import { type Exchanged, exchange } from './exchange.ts';
import { AGENT_RULES, type AgentRules, guardedHttpAgent, guardedHttpsAgent } from './guarded-agent.ts';

export interface SenderRules
  extends TargetRules,
    Partial<Omit<AgentRules, 'allowAddresses' | 'maxSockets' | 'keepAlive'>> {}

/** Bytes of an answer's body: read before the connection is given up, and kept. */
const MAX_READ = 16 * 1_024;
const MAX_KEPT = 10 * 1_024;

export function guardedSender(rules: SenderRules): WebhookSender {
  return { open: cap => new GuardedSession(rules, cap) };
}

class GuardedSession implements SenderSession {
  readonly #rules: SenderRules;
  readonly #agentRules: AgentRules;
  /** By protocol and limit of a connection. */
  readonly #agents = new Map<string, Agent>();
  /** Of single requests. */
  readonly #spare = new Set<Agent>();
  #origin = '';
  #closed = false;

  constructor(rules: SenderRules, cap: number) {
    this.#rules = rules;
    this.#agentRules = { ...AGENT_RULES, ...rules, maxSockets: cap, keepAlive: true };
  }

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<Answer> {
    const startedAt = performance.now();
    const verdict = checkTarget(request.url, this.#rules);
    if (verdict.kind === 'refused')
      return { kind: 'failed', cause: 'forbidden_address', detail: verdict.message, timings: { total: 0 } };
    if (this.#closed)
      return { kind: 'failed', cause: 'own_fault', detail: 'the session is closed', timings: { total: 0 } };
    const { target } = verdict;
    const rules = { ...this.#agentRules, connectMs: request.connectMs ?? this.#agentRules.connectMs };
    this.#keepOnly(`${target.protocol}//${target.host}:${target.port}`);
    const call = {
      ...{ method: 'POST' as const, target, headers: request.headers, body: request.body, signal },
      ...{ startedAt, endsAt: startedAt + request.deadlineMs, maxRead: MAX_READ, maxKept: MAX_KEPT },
    };
    const first = await exchange({ ...call, agent: this.#agentOf(target.protocol, rules) });
    if (first.kind === 'answered' || !first.stale || this.#closed) return this.#answerOf(first);
    // The endpoint closed a kept connection while it was idle: once more at once, on a connection of its own.
    const agent = agentFor(target.protocol, { ...rules, maxSockets: 1, keepAlive: false });
    this.#spare.add(agent);
    const second = await exchange({ ...call, agent });
    this.#spare.delete(agent);
    return this.#answerOf(second);
  }

  close(): void {
    this.#closed = true;
    for (const agent of [...this.#agents.values(), ...this.#spare]) agent.destroy();
  }

  #agentOf(protocol: string, rules: AgentRules): Agent {
    const name = `${protocol}${rules.connectMs}`;
    const agent = this.#agents.get(name) ?? agentFor(protocol, rules);
    this.#agents.set(name, agent);
    return agent;
  }

  /** Idle connections to the address of before, when an endpoint moves in the middle of a session. */
  #keepOnly(origin: string): void {
    if (origin === this.#origin) return;
    this.#origin = origin;
    const idle = [...this.#agents.values()].flatMap(agent => Object.values(agent.freeSockets)).flat();
    for (const socket of idle) socket?.destroy();
  }

  #answerOf(result: Exchanged): Answer {
    if (result.kind === 'answered') {
      const { end, ...answer } = result;
      return { ...answer, truncated: end !== 'whole' || answer.bytes > answer.body.length };
    }
    const { cause, detail, timings } = result;
    return this.#closed
      ? { kind: 'failed', cause: 'own_fault', detail: 'the session was closed', timings }
      : { kind: 'failed', cause, detail, timings };
  }
}

function agentFor(protocol: string, rules: AgentRules): Agent {
  return protocol === 'https:' ? guardedHttpsAgent(rules) : guardedHttpAgent(rules);
}
