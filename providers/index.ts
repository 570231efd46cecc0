/** Every provider this repository knows, by id. Yours stand in a file beside them (`npm run write` lists it), or in gateway.config.ts. */
import type { ProviderSpec } from 'holdfast';
import * as all from './all.ts';

const specs: readonly ProviderSpec[] = Object.values(all).sort((a, b) => (a.id < b.id ? -1 : 1));

export const PROVIDERS: Readonly<Record<string, ProviderSpec>> = Object.fromEntries(specs.map(spec => [spec.id, spec]));

/** The spec with this id. Throws RangeError, naming near matches, when there is none. */
export function providerById(id: string): ProviderSpec {
  const spec = Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
  if (spec) return spec;
  const near = Object.keys(PROVIDERS).filter(known => known.includes(id) || id.includes(known));
  throw new RangeError(
    `There is no provider "${id.slice(0, 60)}". ${near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'All ids are listed in docs/reference/providers.md.'} A provider of your own: docs/receive/add-a-provider.md.`,
  );
}
