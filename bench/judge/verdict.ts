/** Whether a measurement keeps a claim. */
import { type Claim, numberOf } from '../report/claims.ts';
import type { KnownNumbers } from '../report/section.ts';

export const VERDICTS = ['kept', 'not kept', 'not comparable here'] as const;
type Verdict = (typeof VERDICTS)[number];

export interface Judged {
  readonly claim: string;
  readonly published: string;
  readonly measured: string;
  readonly verdict: Verdict;
  /** Of a claim that is not kept, or that cannot be compared. */
  readonly why?: string;
}

/** What a measurement may be over what is published. Of a ratio: a judge has few rounds, and processors differ. */
export const SLACK = { counted: 1.005, bounded: 1, ratio: 1.15 } as const;

/**
 * One row for each claim.
 * @param measured by section; what is not in it was not measured
 * @param why by section: why there is no measurement to compare
 */
export function judgeClaims(
  claims: readonly Claim[],
  published: KnownNumbers,
  measured: KnownNumbers,
  why: Readonly<Record<string, string>>,
): readonly Judged[] {
  return claims.map(each => judgeClaim(each, published, measured, why[each.section]));
}

function judgeClaim(each: Claim, published: KnownNumbers, measured: KnownNumbers, why: string | undefined): Judged {
  const said = each.kind === 'bounded' ? each.target : numberOf(each, published);
  const now = numberOf(each, measured);
  const row = {
    claim: each.label,
    published: said === undefined ? '–' : each.show(said),
    measured: now === undefined ? '–' : each.show(now),
  };
  const unknown = (reason: string): Judged => ({ ...row, verdict: 'not comparable here', why: reason });
  if (each.kind === 'predicted') return unknown('milliseconds on AWS, from a model');
  if (said === undefined) return unknown('nothing is published');
  if (why !== undefined) return unknown(why);
  if (now === undefined) return unknown('it was not measured');
  const most = said * SLACK[each.kind];
  if (now <= most) return { ...row, verdict: 'kept' };
  return { ...row, verdict: 'not kept', why: `${(100 * (now / said - 1)).toFixed(1)} % above what is published` };
}
