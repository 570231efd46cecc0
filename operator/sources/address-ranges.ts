/** The address ranges providers publish: fetched, checked, and written back into providers/. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCidr } from '#core/config/is-cidr.ts';
import type { EpochMs } from '#core/glossary.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { toIso } from '#core/time.ts';

type PublishedList = NonNullable<ProviderSpec['ips']>;

/** Where the published lists come from and where they are kept; tests give their own. */
export interface PublishedLists {
  /** The text at an https address. Throws Error when there is no good answer. */
  fetchText(url: string): Promise<string>;
  /** The folder of the provider files. */
  readonly directory: string;
}

export interface RefreshedList {
  /** `for_people`: published as a page that a program cannot read. `failed`: everything stays as it was. */
  readonly outcome: 'kept' | 'refreshed' | 'unchanged' | 'failed' | 'for_people';
  readonly ranges: readonly string[];
  readonly read_on: string;
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  /** What went wrong, and what to do. */
  readonly problem?: string;
}

const MOST_RANGES = 1_000;
const LINE_WIDTH = 120;

/** Fetches the list of a provider and writes it into its file. Never throws: what went wrong is in the result. */
export async function refreshList(
  { id, ips }: { readonly id: string; readonly ips: PublishedList },
  lists: PublishedLists,
  now: EpochMs,
): Promise<RefreshedList> {
  const kept = { ranges: ips.ranges, read_on: ips.readOn };
  if (ips.at === undefined) return { ...kept, outcome: 'for_people', problem: `compare the ranges with ${ips.from}` };
  try {
    const ranges = rangesIn(await lists.fetchText(ips.from), ips);
    const today = toIso(now).slice(0, 10);
    const file = join(lists.directory, `${id}.ts`);
    const code = withRanges(readFileSync(file, 'utf8'), ranges, today);
    if (code === undefined)
      throw new Error(`${file} has no "ips" that this command can change: write the ranges there by hand`);
    writeFileSync(file, code);
    const added = ranges.filter(range => !ips.ranges.includes(range));
    const removed = ips.ranges.filter(range => !ranges.includes(range));
    const outcome = added.length + removed.length === 0 ? 'unchanged' : 'refreshed';
    return { outcome, ranges, read_on: today, added, removed };
  } catch (error) {
    return { ...kept, outcome: 'failed', problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The ranges in a published list, as CIDR, in their order. Throws Error when that is not what the answer holds. */
export function rangesIn(text: string, { from, at = '' }: Pick<PublishedList, 'from' | 'at'>): readonly string[] {
  const found = at.split('.').reduce<readonly unknown[]>(
    (values, name) =>
      values.flatMap(value => {
        if (typeof value !== 'object' || value === null) return [];
        return name === '*' ? Object.values(value) : [(value as Readonly<Record<string, unknown>>)[name]];
      }),
    [parse(text, from)],
  );
  const ranges = found.flat().map(range => (typeof range === 'string' ? toCidr(range) : ''));
  const odd = ranges.findIndex(range => !isCidr(range) || /\/0$/.test(range));
  if (ranges.length === 0 || ranges.length > MOST_RANGES || odd >= 0)
    throw new Error(
      `${from} has no list of address ranges at "${at}": the provider may have changed it; correct the place in its file`,
    );
  return [...new Set(ranges)];
}

function parse(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${from} is not JSON: the provider may have moved its list; check the address in its file`, {
      cause: error,
    });
  }
}

function toCidr(range: string): string {
  if (range.includes('/')) return range;
  return `${range}/${range.includes(':') ? 128 : 32}`;
}

/** The code of a provider's file with other ranges, read today at their source. Undefined when it has no such list. */
export function withRanges(code: string, ranges: readonly string[], today: string): string | undefined {
  const list = /^( {2}ips: \{\n {4}ranges: )\[[^\]]*\](,\n {4}readOn: ')[^']*(',\n(?: {4}.*\n)*?)( {2}\},\n)/m;
  if (!list.test(code)) return undefined;
  const quoted = ranges.map(range => `'${range}'`);
  const line = `[${quoted.join(', ')}]`;
  const broken = `[\n${quoted.map(range => `      ${range},\n`).join('')}    ]`;
  const text = `    ranges: ${line},`.length <= LINE_WIDTH ? line : broken;
  return code.replace(
    list,
    (_, head: string, date: string, rest: string, end: string) =>
      `${head}${text}${date}${today}${rest.replace(/^ {4}copied: true,\n/m, '')}${end}`,
  );
}
