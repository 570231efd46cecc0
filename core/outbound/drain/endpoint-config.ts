/** What a session must know of its endpoint's configuration: the item and its live secrets, kept 5 s while nothing changes; its schedule when asked. */
import type { EpochMs } from '#core/glossary.ts';
import type { ItemStore, Sealer } from '#core/outbound/ports.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import type { EndpointItem, RuntimeItem } from '#core/outbound/protocol/items.ts';
import { applicationKey, controlKey, endpointKey, secretsKey } from '#core/outbound/protocol/keys.ts';
import type { LiveKey } from '#core/outbound/sign/attempt-to-sign.ts';
import { openKey, signingKeys } from '#core/outbound/sign/signing-keys.ts';
import type { Clock } from '#core/ports.ts';
import { RecentlyUsed } from '#core/recently-used.ts';
import { MINUTE_MS } from '#core/time.ts';

const CONFIG_MS = 5_000;
const SCHEDULE_MS = MINUTE_MS;
const GUARD_MS = 15_000;
const KEPT = 1_000;

export interface EndpointConfig {
  readonly endpoint: EndpointItem;
  readonly keys: readonly LiveKey[];
  /** Waits after failures, seconds; undefined: the environment's. Only a failure asks. */
  readonly waits: () => Promise<readonly number[] | undefined>;
  readonly readAt: EpochMs;
  /** `config` of the runtime item before it was read: it is at least as new. */
  readonly version: number;
}
export type ConfigOf = (runtime: Pick<RuntimeItem, 'app' | 'ep' | 'config'>) => Promise<EndpointConfig | undefined>;

/** Configurations by endpoint, for as long as the process lives. Undefined: there is none. */
export function configsOf(ports: {
  readonly store: Pick<ItemStore, 'get' | 'getMany'>;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly clock: Clock;
}): ConfigOf {
  const kept = new RecentlyUsed<EndpointId, EndpointConfig>(KEPT);
  const waitsOf = schedulesOf(ports);
  return async ({ app, ep, config: version = 0 }) => {
    const now = ports.clock.now();
    const known = kept.get(ep);
    const isOld = known === undefined || known.version < version;
    if (!isOld && now - known.readAt < CONFIG_MS) return known;
    const read = (how: 'eventual' | 'consistent') => ports.store.getMany([endpointKey(app, ep), secretsKey(ep)], how);
    // What did not change for seconds is in every copy; what may have changed a moment ago is asked of the table itself.
    let [endpoint, secrets] = await read(isOld ? 'consistent' : 'eventual');
    if (endpoint === undefined || secrets === undefined) [endpoint, secrets] = await read('consistent');
    // The two are not read at one instant: what has no secrets is deleted right now, and nothing may go out unsigned.
    if (endpoint === undefined || (secrets === undefined && endpoint.deletedAt === undefined)) return undefined;
    const keys = signingKeys(secrets?.keys ?? [], now).map(key => openKey(key, ep, ports.sealer));
    const { schedule } = endpoint;
    const waits = schedule === undefined ? () => waitsOf(app) : async () => schedule;
    const config = { endpoint, keys, waits, readAt: now, version };
    kept.set(ep, config);
    return config;
  };
}

/** Schedules of applications, kept for a minute. */
function schedulesOf(ports: {
  readonly store: Pick<ItemStore, 'get'>;
  readonly clock: Clock;
}): (app: AppId) => Promise<readonly number[] | undefined> {
  const kept = new RecentlyUsed<AppId, { readonly waits: readonly number[] | undefined; readonly readAt: EpochMs }>(
    KEPT,
  );
  return async app => {
    const now = ports.clock.now();
    const known = kept.get(app);
    if (known && now - known.readAt < SCHEDULE_MS) return known.waits;
    const waits = (await ports.store.get(applicationKey(app), 'eventual'))?.schedule;
    kept.set(app, { waits, readAt: now });
    return waits;
  };
}

/** Whether most likely our own egress fails: then failures are not charged, and nothing is disabled. */
export type GuardOn = () => Promise<boolean>;
/** The control item of the guard. */
export const EGRESS = 'egress';

/** The guard as tend wrote it, cached 15 s; off where it cannot be read. */
export function egressGuard(ports: { readonly store: Pick<ItemStore, 'get'>; readonly clock: Clock }): GuardOn {
  let known = { on: false, readAt: Number.NEGATIVE_INFINITY };
  return async () => {
    const now = ports.clock.now();
    if (now - known.readAt < GUARD_MS) return known.on;
    const item = await ports.store.get(controlKey(EGRESS), 'eventual').catch(() => undefined);
    known = { on: (item?.until ?? 0) > now, readAt: now };
    return known.on;
  };
}
