/** Why a delivery is not sent now, and until when. */
import { holdWords } from '../core/words.ts';
import type { Delivery } from './delivery.ts';
import { clock } from './time.tsx';

export function Held({ delivery }: { readonly delivery: Pick<Delivery, 'held_until' | 'held_why'> }) {
  const { held_until: until, held_why: why } = delivery;
  return (
    <>
      on hold: {holdWords(why)}
      {until === null ? '' : `; next try ${clock(until)}`}
    </>
  );
}
