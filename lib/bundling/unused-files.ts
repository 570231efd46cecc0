import type { ResolvedConfig } from '#core/config/resolved-config.ts';
import type { TargetKind } from '#core/inbound/routing/target.ts';
import type { FunctionName } from './function-names.ts';

/** The file of each target's client (adapters/targets/outside-targets.ts imports it lazily). The others need none. */
const FILES: Readonly<Partial<Record<TargetKind, string>>> = {
  event_bus: 'adapters/targets/event-bus-target',
  topic: 'adapters/targets/topic-target',
  function: 'adapters/targets/function-target',
  state_machine: 'adapters/targets/state-machine-target',
  outbound: 'adapters/targets/outbound-target',
};

/** What `ingest` needs behind CloudFront. */
const EDGE_FILE = 'adapters/http/edge-door';

/** What `contacts` needs to send mails. */
const MAIL_FILE = 'adapters/ses/ses-mailer';

/** Files of ours, without their ending, that no event of this configuration needs: the bundle of the function goes without. */
export function unusedFiles(name: FunctionName, { edge, outbound, sources }: ResolvedConfig): ReadonlySet<string> {
  if (name === 'ingest') return new Set(edge ? [] : [EDGE_FILE]);
  if (name === 'contacts') return new Set(outbound?.email ? [] : [MAIL_FILE]);
  if (name !== 'process') return new Set();
  const routes = sources.flatMap(source => source.routes ?? []);
  const kinds = new Set(routes.flatMap(route => route.targets.map(target => target.kind)));
  return new Set(Object.entries(FILES).flatMap(([kind, file]) => (kinds.has(kind as TargetKind) ? [] : [file])));
}
