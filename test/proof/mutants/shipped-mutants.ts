/**
 * Deliberate bugs of what ships and of what says whether it works: each was real once, with every test of the sources green.
 * The sweeper crashed in each run because of the first two, and `doctor` said that it runs because of the last.
 */
import type { Mutant } from './mutants.ts';

export const SHIPPED_MUTANTS: readonly (Mutant & { readonly caughtBy: RegExp })[] = [
  {
    name: 'a lazy file is built without what gives it its client',
    file: 'lib/bundling/build-code.ts',
    from: 'return build({ ...shared, entryPoints, plugins: [lazyBuiltins()] });',
    to: 'return build({ ...shared, alias: {}, entryPoints, plugins: [lazyBuiltins()] });',
    caughtBy: /^lazy-s3-client\.mjs has the SDK's chain of credentials$/,
  },
  {
    name: 'a second class of ours comes with a lazy file',
    file: 'lib/bundling/lean-plugins.ts',
    from: "  'adapters/s3/s3-client',\n",
    to: "  'adapters/s3/s3-client',\n  'core/outbound/api/put-event-type',\n",
    caughtBy: /^core\/outbound\/api\/problem-reply\.ts: .*lazy-put-event-type\.mjs/,
  },
  {
    name: 'whether the sweeper runs is read from its lease, not from its last success',
    file: 'operator/health/sweeper.ts',
    from: 'return now - (wellAt ?? deployedAt) > LATE_MS;',
    to: 'return now - (view.leasedUntil ?? wellAt ?? deployedAt) > LATE_MS;',
    caughtBy: /^ten minutes of crashes are called "a run ended well/,
  },
];
