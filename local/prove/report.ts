/** The report of a run, as Markdown: what held, what differs, and what this run could not show. */
import type { EndpointKind } from './plan.ts';

interface Named {
  readonly name: string;
}

export interface Findings {
  readonly environment: string;
  readonly place: string;
  readonly at: Date;
  readonly version: string;
  readonly minutes: number;
  readonly dollars: number;
  readonly events: number;
  readonly sources: readonly string[];
  readonly requests: number;
  readonly acknowledged: number;
  readonly latencyMs: readonly number[];
  /** Ids of events. */
  readonly wrong: Readonly<Record<'lost' | 'twice' | 'forged' | 'open', readonly string[]>>;
  readonly breaks: readonly (Named & { readonly bit: boolean; readonly notLocally?: string })[];
  /** `tooShort`: what it rings for was held for seconds only. */
  readonly alarms: {
    readonly rang: readonly string[];
    readonly missing: readonly string[];
    readonly tooShort: readonly string[];
  };
  /** Absent: the environment sends nothing. */
  readonly sending?: {
    readonly messages: number;
    readonly endpoints: number;
    /** Messages that an endpoint ought to have and has not, or whose signature was wrong. */
    readonly wrong: readonly string[];
    readonly kinds: readonly EndpointKind[];
  };
  readonly probes: readonly { readonly rule: string; readonly seen: true | string; readonly locally?: string }[];
  readonly templates: readonly (Named & { readonly sha256: string })[];
  /** Absent: it ran to its end. */
  readonly stopped?: string;
}

interface Judged {
  readonly held: readonly string[];
  readonly differs: readonly string[];
  readonly notShown: readonly string[];
}

/** Each finding under the one heading that it belongs to. */
export function judgeFindings(it: Findings): Judged {
  const held: string[] = [];
  const differs: string[] = [];
  const notShown: string[] = [];
  const say = (isSo: boolean, what: string): number => (isSo ? held : differs).push(what);
  const some = (ids: readonly string[]): string => (ids.length === 0 ? '' : ` (${ids.slice(0, 5).join(', ')})`);
  const { wrong } = it;
  say(wrong.lost.length === 0, `lost: ${wrong.lost.length} of ${it.acknowledged}${some(wrong.lost)}`);
  say(wrong.twice.length === 0, `effects that happened twice: ${wrong.twice.length}${some(wrong.twice)}`);
  say(wrong.forged.length === 0, `forged requests that were recorded: ${wrong.forged.length}${some(wrong.forged)}`);
  if (wrong.open.length > 0) differs.push(`not at their end in time: ${wrong.open.length}${some(wrong.open)}`);
  if (it.sending === undefined) notShown.push('sending: the environment has no `outbound`');
  else {
    const { messages, endpoints, wrong: bad } = it.sending;
    say(
      bad.length === 0,
      `${messages} messages to ${endpoints} endpoints: ${bad.length} missing or badly signed${some(bad)}`,
    );
  }
  for (const { name, bit, notLocally } of it.breaks)
    (bit ? held : notShown).push(
      bit ? `broken, and put right: ${name}` : `${name}: ${notLocally ?? 'it did not bite'}`,
    );
  for (const id of it.alarms.rang) held.push(`rang: ${id}`);
  for (const id of it.alarms.missing) differs.push(`did not ring: ${id}`);
  for (const id of it.alarms.tooShort) notShown.push(`rings after minutes, and it was broken for seconds: ${id}`);
  for (const { rule, seen, locally } of it.probes) {
    if (seen === true) held.push(rule);
    else if (locally !== undefined) notShown.push(`${rule} (the local AWS: ${locally})`);
    else differs.push(`${rule} (seen: ${seen})`);
  }
  if (it.stopped !== undefined) differs.push(`it was stopped: ${it.stopped}`);
  return { held, differs, notShown };
}

export function renderReport(it: Findings): string {
  const { held, differs, notShown } = judgeFindings(it);
  const list = (lines: readonly string[]): string => lines.map(line => `- ${line}`).join('\n') || 'Nothing.';
  const at = (share: number): string => {
    const sorted = it.latencyMs.toSorted((a, b) => a - b);
    return `${sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? '?'} ms`;
  };
  return `# What holdfast prove found

${it.at.toISOString().slice(0, 10)}, Holdfast ${it.version}, environment ${it.environment} in ${it.place}. ${it.events.toLocaleString('en')} events of ${it.sources.length} sources (${it.sources.join(', ')}) in ${it.requests.toLocaleString('en')} requests, ${it.acknowledged.toLocaleString('en')} acknowledged; half of the answers within ${at(0.5)}, 99 % within ${at(0.99)}. It took ${it.minutes} minutes; predicted price $${it.dollars.toFixed(2)}.

## Held
${list(held)}

## Differs
${list(differs)}

## Not shown
${list(notShown)}

## What ran
| stack | SHA-256 of its template |
|---|---|
${it.templates.map(({ name, sha256 }) => `| ${name} | \`${sha256}\` |`).join('\n')}
`;
}
