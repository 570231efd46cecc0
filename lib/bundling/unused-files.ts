import type { ResolvedConfig } from '#core/config/resolved-config.ts';
import type { TargetKind } from '#core/inbound/routing/target.ts';

/** The file of each target's client (adapters/targets/outside-targets.ts imports it lazily). The others need none. */
const FILES: Readonly<Partial<Record<TargetKind, string>>> = {
  event_bus: 'lazy-event-bus-target.mjs',
  topic: 'lazy-topic-target.mjs',
  function: 'lazy-function-target.mjs',
  state_machine: 'lazy-state-machine-target.mjs',
  outbound: 'lazy-outbound-target.mjs',
};

/** What `ingest` needs behind CloudFront. */
const EDGE_FILE = 'lazy-edge-door.mjs';

/** Files that none of these configurations needs: their bundles go without. */
export function unusedFiles(...configs: readonly ResolvedConfig[]): ReadonlySet<string> {
  const routes = configs.flatMap(config => config.sources.flatMap(source => source.routes ?? []));
  const kinds = new Set(routes.flatMap(route => route.targets.map(target => target.kind)));
  const targets = Object.entries(FILES).flatMap(([kind, file]) => (kinds.has(kind as TargetKind) ? [] : [file]));
  return new Set([...targets, ...(configs.some(({ edge }) => edge) ? [] : [EDGE_FILE])]);
}
