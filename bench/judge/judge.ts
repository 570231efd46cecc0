/** `npm run bench -- judge`: what is claimed beside what this machine measures, with a verdict on each. */
import { type Claim, DRAWN, SAID } from '../report/claims.ts';
import { type KnownNumbers, tableText } from '../report/section.ts';
import { type Judged, judgeClaims, VERDICTS } from './verdict.ts';

export interface JudgedSection {
  /** Of its section, measured now. Throws where what it needs is not on this machine. */
  readonly measure: () => Promise<Readonly<Record<string, number>>>;
  /** It measures time: others' work disturbs it. */
  readonly timed: boolean;
}

export interface JudgeOptions {
  readonly published: KnownNumbers;
  /** By the letter of the section, in the order in which they run. */
  readonly sections: Readonly<Record<string, JudgedSection>>;
  /** Why times cannot be compared now, or nothing. */
  readonly othersWork: () => Promise<string | undefined>;
  readonly say: (line: string) => void;
  readonly claims?: readonly Claim[];
}

export const CLAIMS: readonly Claim[] = [...DRAWN.flatMap(({ claims }) => claims), ...SAID];

/** Measures each section and judges every claim. Times are measured only while the machine is quiet, before and after. */
export async function judge({
  published,
  sections,
  othersWork,
  say,
  claims = CLAIMS,
}: JudgeOptions): Promise<readonly Judged[]> {
  const measured: Record<string, Readonly<Record<string, number>>> = {};
  const why: Record<string, string> = {};
  for (const [id, { measure, timed }] of Object.entries(sections)) {
    const busyBefore = timed ? await othersWork() : undefined;
    if (busyBefore !== undefined) {
      why[id] = busyBefore;
      say(`${id}: ${busyBefore}`);
      continue;
    }
    say(`${id}: measured`);
    try {
      measured[id] = await measure();
    } catch (error) {
      why[id] = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      say(`${id}: ${why[id]}`);
      continue;
    }
    const busyAfter = timed ? await othersWork() : undefined;
    if (busyAfter !== undefined) why[id] = busyAfter;
  }
  return judgeClaims(claims, published, measured, why);
}

/** The table of the verdicts, and how many there are of each. */
export function verdictText(rows: readonly Judged[]): string {
  const cells = rows.map(it => [
    it.claim,
    it.published,
    it.measured,
    it.why === undefined ? it.verdict : `${it.verdict}: ${it.why}`,
  ]);
  const counts = VERDICTS.map(each => `${rows.filter(it => it.verdict === each).length} ${each}`).join(', ');
  return `${tableText(['claim', 'published', 'measured', 'verdict'], cells)}\n\n${counts}.`;
}
