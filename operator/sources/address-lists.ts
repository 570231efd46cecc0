/** The addresses providers say they send from, and what the allow lists of the sources would refuse. */
import { notCovered } from '#core/config/range-cover.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import type { Operator } from '#operator/operator.ts';
import { OperatorError } from '#operator/operator-error.ts';
import { PROVIDERS } from '#providers/index.ts';
import { type PublishedLists, type RefreshedList, refreshList } from './address-ranges.ts';

export interface AddressList extends RefreshedList {
  readonly provider: string;
  readonly sources: readonly string[];
  readonly publishedAt: string;
  /** By source: ranges its `allowList` would refuse. */
  readonly refused: Readonly<Record<string, readonly string[]>>;
}

export type PublishingProvider = ProviderSpec & { readonly ips: NonNullable<ProviderSpec['ips']> };

/** Providers that publish their addresses: that of a source, of all sources, or `all`. Throws OperatorError (not found). */
export function publishingProviders(
  operator: Operator,
  { source, all }: { readonly source: string | undefined; readonly all: boolean },
): readonly PublishingProvider[] {
  const configured = operator.deployment.sources.map(each => each.source.spec);
  const asked =
    source === undefined ? [...configured, ...(all ? Object.values(PROVIDERS) : [])] : [operator.source(source).spec];
  const specs = [...new Map(asked.map(spec => [spec.id, spec])).values()];
  const publishing = specs.filter((spec): spec is PublishingProvider => spec.ips !== undefined);
  if (publishing.length > 0) return publishing;
  throw new OperatorError(
    `${specs.map(spec => spec.title).join(', ')}: no published list of address ranges is known.\nProviders that publish one: ${operator.command('sources ips --all')}`,
    'not_found',
  );
}

/** The list of one provider as it is kept, or fetched and written back where `refresh` says where from. */
export async function readAddressList(
  operator: Operator,
  spec: PublishingProvider,
  refresh: PublishedLists | undefined,
): Promise<AddressList> {
  const sources = operator.deployment.sources.map(each => each.source).filter(source => source.spec.id === spec.id);
  const { ranges, readOn, from } = spec.ips;
  const kept: RefreshedList = { outcome: 'kept', ranges, read_on: readOn };
  const list = refresh === undefined ? kept : await refreshList(spec, refresh, operator.clock.now());
  const refused = sources.flatMap(source => {
    const missing = source.allowList === undefined ? [] : notCovered(list.ranges, source.allowList);
    return missing.length === 0 ? [] : [[source.id, missing] as const];
  });
  return {
    provider: spec.id,
    sources: sources.map(({ id }) => id),
    publishedAt: from,
    ...list,
    refused: Object.fromEntries(refused),
  };
}
