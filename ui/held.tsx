/** Why a delivery is not sent now, and until when. */
import { heldWords } from '../core/words.ts';
import type { Delivery } from './delivery.ts';
import { clock } from './time.tsx';

export function Held({ delivery }: { readonly delivery: Pick<Delivery, 'held_until' | 'held_why'> }) {
  const { held_until: until, held_why: why } = delivery;
  return (
    <>
      {heldWords(why)}
      {until === null ? '' : `; next try ${clock(until)}`}
    </>
  );
}
