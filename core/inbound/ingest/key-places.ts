/**
 * Where the keys of accepted requests were found: addresses and key ids, one control item, kept over cold starts. Forged
 * requests name places, too; these have an allowance of their own, so that no flood of the others locks them out.
 */
import type { ControlStore } from '#core/inbound/ports.ts';

const PLACES_CONTROL = 'key-places';
/** A provider changes its certificate a few times a year. The oldest go first. */
const MAX_PLACES = 100;
/** Functions that confirm at the same time. */
const MAX_ROUNDS = 4;

export const keyPlaces = (control: Pick<ControlStore, 'read' | 'write'>) => ({
  load: async () => decode((await control.read(PLACES_CONTROL))?.value),

  add: async (place: string): Promise<void> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const stored = await control.read(PLACES_CONTROL);
      const places = decode(stored?.value);
      if (places.includes(place)) return;
      const value = JSON.stringify([...places, place].slice(-MAX_PLACES));
      if (await control.write(PLACES_CONTROL, value, stored?.version ?? 0)) return;
    }
  },
});

function decode(value: string | undefined): readonly string[] {
  const list: unknown = value === undefined ? [] : JSON.parse(value);
  return Array.isArray(list) ? list.filter(it => typeof it === 'string') : [];
}
