/**
 * Sources that ever were configured: a removed one may still have parked events, so the sweeper visits it for good.
 */
import { type SourceId, toSourceId } from '#core/glossary.ts';
import type { ControlStore } from '#core/inbound/ports.ts';

const SOURCES_CONTROL = 'sources';

/** The configured sources and all remembered ones; remembers new ones. */
export async function knownSources(
  control: ControlStore,
  configured: readonly SourceId[],
): Promise<readonly SourceId[]> {
  const stored = await control.read(SOURCES_CONTROL);
  const remembered = stored
    ? stored.value
        .split(' ')
        .filter(it => it !== '')
        .map(toSourceId)
    : [];
  const all = [...new Set([...remembered, ...configured])];
  if (all.length > remembered.length) await control.write(SOURCES_CONTROL, all.join(' '), stored?.version ?? 0);
  return all;
}
