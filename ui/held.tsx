/** Why a delivery is not sent now, and until when. */
import type { Delivery } from './delivery.ts';
import { At } from './time.tsx';

const WHY: Readonly<Record<string, string>> = {
  paused: 'the endpoint is paused',
  disabled: 'the endpoint is disabled',
  breaker: 'the endpoint keeps failing',
  throttled: 'the endpoint asked us to wait',
  rate: 'the endpoint has had all that its rate allows',
  crash: 'we failed while we sent to it',
};

export function Held({ delivery }: { readonly delivery: Pick<Delivery, 'held_until' | 'held_why'> }) {
  const { held_until: until, held_why: why } = delivery;
  return (
    <>
      held: {WHY[why ?? ''] ?? 'the endpoint is gone'}
      {until === null ? null : (
        <>
          , until <At of={until} />
        </>
      )}
    </>
  );
}
