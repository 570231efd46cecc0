/** How customers' endpoints behave: each a receiver on virtual time, by its own random numbers. */
import type { SeededRandom } from '#adapters/memory/seeded-random.ts';
import type { VirtualClock } from '#adapters/memory/virtual-clock.ts';
import type { Answer } from '#core/outbound/ports.ts';
import type { NewEndpoint } from '#core/outbound/registry/endpoints.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { answered, noAnswer, type Receiver } from '#test/kit/outbound-world.ts';

/** What the world tells a receiver. */
export interface Surroundings {
  readonly clock: VirtualClock;
  readonly random: SeededRandom;
  /** Everything is well from now on: the run wants to end. */
  readonly healed: () => boolean;
}
export interface Temperament {
  readonly name: string;
  /** Of a hundred endpoints. */
  readonly share: number;
  readonly given?: Partial<NewEndpoint>;
  /** Its first attempts say something about us, not about it. */
  readonly healthy?: true;
  /** It never recovers, not even at the end. */
  readonly hopeless?: true;
  /** Of kind pull: nothing is sent, readers come (readers.ts). */
  readonly read?: true;
  /** Somebody pauses it and never comes back. */
  readonly abandoned?: true;
  readonly receiver: (at: Surroundings) => Receiver;
}

/** Log-normal, median 80 ms, seldom above 400. */
const delayOf = (random: SeededRandom): number => {
  const [u, v] = [Math.max(1e-9, random.next()), random.next()];
  return Math.round(Math.min(1_500, 80 * Math.exp(0.6 * Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v))));
};
const after = (clock: VirtualClock, ms: number, answer: Answer): Promise<Answer> => clock.sleep(ms).then(() => answer);
const well = ({ clock, random }: Surroundings): Promise<Answer> =>
  after(clock, delayOf(random), answered(200, {}, 'ok'));
const DEATHS: readonly ((clock: VirtualClock) => Answer | Promise<Answer>)[] = [
  () => new Promise(() => {}),
  () => noAnswer('reset'),
  () => noAnswer('dns'),
  () => noAnswer('tls'),
  clock => after(clock, 40, answered(500)),
  clock => after(clock, 40, answered(503)),
];

/** Dead from a random time on, for so long. */
const dies = (name: string, share: number, forMs: number, hopeless?: true): Temperament => ({
  name,
  share,
  ...(hopeless ? { hopeless } : {}),
  receiver: at => {
    const from =
      at.clock.now() + at.random.int(forMs === Number.POSITIVE_INFINITY ? HOUR_MS : Math.min(DAY_MS, 6 * forMs));
    const death = at.random.pick(DEATHS);
    return () => {
      const now = at.clock.now();
      const dead = now >= from && now < from + forMs && (hopeless || !at.healed());
      return dead ? death(at.clock) : well(at);
    };
  },
});
const bad = (
  name: string,
  share: number,
  answer: (at: Surroundings, n: number) => Answer | Promise<Answer> | undefined,
  given?: Partial<NewEndpoint>,
): Temperament => ({
  name,
  share,
  ...(given ? { given } : {}),
  receiver: at => {
    let n = 0;
    return () => {
      n += 1;
      return (at.healed() ? undefined : answer(at, n)) ?? well(at);
    };
  },
});

export const TEMPERAMENTS: readonly Temperament[] = [
  { name: 'healthy', share: 51, healthy: true, receiver: at => () => well(at) },
  bad('flaky', 10, ({ random }) => (random.chance(0.01) ? answered(500) : undefined)),
  dies('dead for an hour', 4, HOUR_MS),
  dies('dead for a day', 2, DAY_MS),
  dies('dead for six days', 1, 6 * DAY_MS),
  dies('dead forever', 2, Number.POSITIVE_INFINITY, true),
  bad('slow: 3 s', 2, at => after(at.clock, 3_000, answered(200))),
  bad('slow: 8 s', 1, at => after(at.clock, 8_000, answered(200))),
  bad('slow: 15.1 s', 1, at => after(at.clock, 15_100, answered(200))),
  bad('flaps: 10 s up, 50 s down', 2, at => (at.clock.now() % MINUTE_MS < 10_000 ? undefined : noAnswer('connect'))),
  bad('fails half of the time', 2, ({ random }) => (random.chance(0.5) ? answered(502) : undefined)),
  {
    name: 'refuses some messages for good',
    share: 3,
    receiver: at => request => (request.id.charCodeAt(8) % 5 === 0 ? answered(422, {}, 'no') : well(at)),
  },
  bad('refuses now and then', 2, ({ random }) => (random.chance(0.02) ? answered(422) : undefined)),
  {
    name: 'answers 500 to some messages',
    share: 3,
    receiver: at => request =>
      !at.healed() && request.id.charCodeAt(8) % 5 === 0 ? answered(500, {}, 'no') : well(at),
  },
  {
    name: 'ordered, answers 500 to some messages',
    share: 1,
    given: { ordered: true, headOfLineHours: 1 },
    receiver: at => request =>
      !at.healed() && request.id.charCodeAt(8) % 5 === 0 ? answered(500, {}, 'no') : well(at),
  },
  bad('rate limited with hints', 2, (_, n) => (n % 4 === 0 ? answered(429, { 'retry-after': ['7'] }) : undefined)),
  bad('lies about its limits', 1, ({ random }) =>
    random.chance(0.3) ? answered(429, { 'retry-after': [random.pick(['1', '2592000', 'soon'])] }) : undefined,
  ),
  bad('gone once a day', 1, at => (at.clock.now() % DAY_MS < 30_000 ? answered(410) : undefined)),
  bad('wants to be disabled', 1, ({ random }) =>
    random.chance(0.002) ? answered(500, { 'webhook-delivery': ['disable'] }) : undefined,
  ),
  bad('acts, then loses the answer', 3, at =>
    at.random.chance(0.1) ? after(at.clock, 60, noAnswer('reset')) : undefined,
  ),
  bad('redirects', 1, ({ random }) =>
    random.chance(0.3) ? answered(302, { location: ['https://elsewhere.example.com/'] }) : undefined,
  ),
  bad('hostile', 2, ({ random }) =>
    random.pick([undefined, undefined, noAnswer('bad_http'), noAnswer('closed_early'), answered(200), answered(599)]),
  ),
  { name: 'abandoned', share: 2, abandoned: true, receiver: at => () => well(at) },
  { name: 'read', share: 4, read: true, given: { kind: 'pull' }, receiver: () => () => answered(500) },
  { name: 'ordered', share: 2, given: { ordered: true }, receiver: at => () => well(at) },
  { name: 'batched', share: 2, given: { batch: { maxEvents: 10, maxBytes: 100_000 } }, receiver: at => () => well(at) },
  { name: 'limited by us', share: 2, given: { rate: { perSecond: 1, burst: 3 } }, receiver: at => () => well(at) },
  { name: 'serves one at a time', share: 2, given: { maxConcurrency: 1 }, receiver: at => () => well(at) },
];

/** The temperament of one more endpoint, by the shares of all. */
export function temperamentOf(random: SeededRandom, abandoned: boolean): Temperament {
  const possible = TEMPERAMENTS.filter(each => abandoned || !each.abandoned);
  const total = possible.reduce((sum, { share }) => sum + share, 0);
  let drawn = random.next() * total;
  for (const temperament of possible) {
    drawn -= temperament.share;
    if (drawn < 0) return temperament;
  }
  return TEMPERAMENTS[0] as Temperament;
}
