/**
 * Deliberate bugs of what ships and of what says whether it works: each was real once, with every test of the sources green.
 * The sweeper crashed in each run because of the first two, and `doctor` said that it runs because of the last.
 */
import type { Mutant } from './mutants.ts';

export const SHIPPED_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lazy file is built without what gives it its client',
    shownBy: 'scenario ofBundle',
    file: 'lib/bundling/lean-plugins.ts',
    of: 'lazyBuiltins',
    bug: `real => {
      const plugin = real();
      const setup = ({ initialOptions, ...build }) => {
        if (!initialOptions.splitting) initialOptions.alias = {};
        return plugin.setup({ initialOptions, ...build });
      };
      return { ...plugin, setup };
    }`,
    says: /^lazy-s3-client\.mjs has the SDK's chain of credentials$/,
  },
  {
    name: 'a second class of ours comes with a lazy file',
    shownBy: 'scenario ofBundle',
    file: 'lib/bundling/lean-plugins.ts',
    of: 'filesApart',
    bug: `(real, root, unused, met) => {
      const apart = 'core/outbound/api/put-event-type';
      return real(root, new Set([...unused, apart]), met.add(apart));
    }`,
    says: /^core\/problem-reply\.ts: .*lazy-put-event-type\.mjs/,
  },
  {
    name: 'whether the sweeper runs is read from its lease, not from its last success',
    shownBy: 'scenario ofCrashingSweeper',
    file: 'operator/health/sweeper.ts',
    of: 'isSweeperLate',
    bug: `(real, { leasedUntil, ...view }, now) => real({ ...view, wellAt: leasedUntil ?? view.wellAt }, now)`,
    says: /^ten minutes of crashes are called "a run ended well/,
  },
];
