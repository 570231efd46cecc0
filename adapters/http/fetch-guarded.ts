/** Loaded with its first call (`await import`): a cold start of ingest need not read what most sources never use. */
import { type CappedAnswer, type CappedCall, fetchCapped } from './fetch-capped.ts';
import { AGENT_RULES, guardedHttpsAgent } from './guarded-agent.ts';

const agent = guardedHttpsAgent(AGENT_RULES);

/** `fetchCapped` for addresses that others chose: public ones only, unless a test gives its own agent. */
export function fetchGuarded(call: CappedCall): Promise<CappedAnswer> {
  return fetchCapped({ agent, ...call });
}
