/** An endpoint that becomes `ordered`, moves and pauses while messages wait: what was published since keeps its order. */
import { expect, it } from 'vitest';
import { pause, resume } from '#core/outbound/gate/gate.ts';
import { changeEndpoint } from '#core/outbound/registry/endpoints.ts';
import { HOUR_MS } from '#core/time.ts';
import { answered, type Receiver } from '#test/kit/outbound-world.ts';
import { runJourney, type Stage } from './support/stage.ts';

/** Each message fails once. */
function receiverOf(asked: string[]): Receiver {
  return ({ id }) => {
    asked.push(id);
    return answered(asked.indexOf(id) === asked.length - 1 ? 422 : 200);
  };
}

it('sends what was published since in order, also at another URL and after a pause', async () => {
  const asked: string[] = [];
  const receiver = receiverOf(asked);
  let stage: Stage | undefined;
  const verdict = await runJourney({
    name: 'ordered later',
    world: { waits: [60, 60], longPolling: true },
    async play(played) {
      stage = played;
      const { world } = played;
      const ep = await played.endpoint(receiver);
      const change = (fields: { readonly ordered?: boolean; readonly url?: string }) =>
        played.run(world.insist(ports => changeEndpoint(ports, played.app, ep, { fields })));
      const gate = () => ({ by: 'customer', why: 'test', now: world.clock.now() }) as const;
      await played.publish('before');
      await played.until(() => asked.length === 1);
      await change({ ordered: true });
      await played.publish('a');
      await played.until(() => asked.length === 2);
      await played.publish('b');
      await played.run(world.insist(ports => pause(ports, ep, gate())));
      const url = 'https://moved.example.com/in';
      world.receivers.set(url, receiver);
      await change({ url });
      await played.publish('c');
      await world.clock.advanceBy(HOUR_MS);
      await played.run(world.insist(ports => resume(ports, ep, gate())));
      for (const key of ['before', 'a', 'b', 'c']) played.expect(ep, key, 'delivered');
    },
  });
  // The account by URL knows one URL of an endpoint.
  expect(verdict.complaints.filter(each => !/^O[57]/.test(each))).toEqual([]);
  const names = new Map(['before', 'a', 'b', 'c'].map(key => [stage?.messageOf(key), key]));
  const since = asked.map(id => names.get(id as never)).filter(key => key !== 'before');
  expect(since).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
});
