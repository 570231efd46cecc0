/**
 * The rooms of the house and who may import whom. `npm run check` holds it.
 *
 * A room is a folder with all below it that is no room of its own. It may import itself, and what stands beside it:
 * - `core`: the files of that room; `core/**`: also of every room below it; `core/ask.ts`: this file only (a `*` in it is any name);
 * - `node:*`: Node's own modules; `npm:zod`: a package; `npm:@aws-sdk/*`: all of a scope; `npm:*`: any package.
 *
 * Inside core/ an import says where it goes: `./file.ts` in the same folder, `#core/room/file.ts` in another.
 */
const BELOW_ENGINES = 'core core/scan core/provider';
const WORDS_OF_HANDLERS = `${BELOW_ENGINES} core/verification core/handler core/retry`;
const INSIDE_A_FUNCTION = `${WORDS_OF_HANDLERS} core/config core/inbound/protocol`;
const LAPTOP = 'npm:@aws-sdk/* node:*';
const MEASURES = 'core/** bench/measure bench/report test/kit/** npm:aws-lambda node:*';

export const ROOMS: Readonly<Record<string, string>> = {
  // The rules: pure TypeScript. An effect belongs behind a port.
  core: '',
  'core/scan': 'core',
  'core/provider': 'core',
  'core/retry': 'core',
  'core/verification': BELOW_ENGINES,
  'core/handler': `${BELOW_ENGINES} core/retry`,
  'core/inbound/protocol': BELOW_ENGINES,
  'core/inbound/routing': `${WORDS_OF_HANDLERS} core/inbound/protocol`,
  'core/inbound/drift': `${BELOW_ENGINES} core/inbound/protocol`,
  'core/inbound/search': `${BELOW_ENGINES} core/inbound/protocol`,
  'core/inbound/watch': `${WORDS_OF_HANDLERS} core/inbound/protocol`,
  'core/config': `${WORDS_OF_HANDLERS} core/inbound/protocol core/inbound/routing core/outbound/drain/schedule.ts core/outbound/api/fields.ts core/outbound/sign/signature-form.ts core/outbound/protocol/items.ts`,
  'core/inbound/replay': `${BELOW_ENGINES} core/inbound/protocol core/inbound/search`,
  'core/inbound/ingest': `${BELOW_ENGINES} core/verification core/retry core/config core/inbound/protocol`,
  'core/inbound/process': `${INSIDE_A_FUNCTION} core/inbound/drift core/inbound/routing`,
  'core/inbound/sweep': `${INSIDE_A_FUNCTION} core/inbound/replay core/inbound/search`,
  'core/inbound/api': `${INSIDE_A_FUNCTION} core/inbound/replay core/inbound/search`,
  'core/inbound/reconcile': `${INSIDE_A_FUNCTION} core/inbound/ingest`,
  'core/outbound': WORDS_OF_HANDLERS,

  // The only code that calls AWS or the network.
  adapters:
    'core/** npm:@aws-sdk/* npm:@smithy/* npm:aws4fetch npm:age-encryption npm:@cfworker/json-schema npm:jose npm:aws-lambda node:*',
  // Wiring: one folder per function.
  lambdas: 'core/** adapters providers handlers npm:@middy/core npm:aws-lambda node:*',
  // Infrastructure.
  lib: 'core/** providers gateway.config.ts lambdas/*/env.ts ui/build-page.ts npm:aws-cdk-lib npm:constructs npm:esbuild node:*',
  cdk: 'core/** providers lib npm:aws-cdk-lib npm:constructs node:*',

  // Yours: of the gateway only what it offers.
  'gateway.config.ts': 'providers npm:holdfast',
  handlers: 'gateway.config.ts providers npm:* node:*',
  providers: 'npm:holdfast',
  // What your code imports.
  sdk: 'core/** adapters providers lib/handler-resources.ts node:*',

  // What a person may do, for any face; its faces never import each other.
  operator: 'core/** adapters local/shell',
  'operator/aws': `core/** adapters operator local/shell local/emulator/given-endpoint.ts local/emulator/running-aws.ts ${LAPTOP}`,
  'operator/cost': 'core node:*',
  'operator/customers': 'core/** adapters operator ui/delivery.ts node:*',
  'operator/deaths': 'core/** operator',
  'operator/events':
    'core/** adapters handlers operator operator/cost/prices.ts local/shell npm:holdfast npm:vitest node:*',
  'operator/health':
    'core/** adapters operator operator/customers operator/events operator/refused operator/sources local/shell node:*',
  'operator/moving': 'core/** operator',
  'operator/refused': 'core/** adapters providers operator operator/sources',
  'operator/sources': 'core/** adapters providers operator operator/events local/shell npm:holdfast npm:vitest node:*',
  cli: 'core/** adapters providers operator/** local/** lib/handler-resources.ts npm:commander npm:yaml node:*',
  console: 'core/words.ts ui',
  'console/server': 'core/** operator/** providers console ui node:*',
  'console/app': 'core/words.ts ui console npm:preact',
  mcp: 'core/** operator/** npm:@modelcontextprotocol/server node:*',
  'portal/app': 'core/words.ts ui npm:preact node:*',
  ui: 'core/words.ts npm:preact npm:esbuild node:*',

  // The real stacks on a laptop.
  local: `core/** adapters providers operator/** console/server local/** lib/bundling/bundle-functions.ts lib/stacks/gateway-stage.ts npm:aws-cdk-lib ${LAPTOP}`,
  'local/alarms': `local/emulator local/stacks operator ${LAPTOP}`,
  'local/drills': `core/** adapters handlers operator/** local/alarms local/emulator local/shell local/stacks npm:holdfast ${LAPTOP}`,
  'local/emulator': `local/shell ${LAPTOP}`,
  'local/follow': `core/** operator/** local/alarms local/emulator local/project local/shell local/stacks ${LAPTOP}`,
  'local/project': `core/** adapters providers operator/** lib/handler-resources.ts local/shell ${LAPTOP}`,
  'local/sample': `core/** adapters providers operator/** local/follow local/shell local/stacks ${LAPTOP}`,
  'local/prove': `core/** adapters providers operator/** local/alarms local/drills local/emulator local/project local/shell local/stacks ${LAPTOP}`,
  'local/shell': 'operator node:*',
  'local/stacks': `core/** operator/cost local/emulator local/project local/shell npm:@aws-cdk/* ${LAPTOP}`,

  // What is measured: a room for each benchmark, and what they share. No test but those in test/bench/ imports it.
  bench: 'bench/** node:*',
  'bench/measure': 'node:*',
  'bench/report': 'bench/measure operator/cost/alternatives.ts test/written/json-text.ts node:*',
  'bench/judge': 'bench/report node:*',
  'bench/loopback': 'core/** adapters sdk test/kit/** npm:aws-lambda node:*',
  'bench/start': `${MEASURES} bench/loopback npm:@aws-sdk/* npm:esbuild`,
  'bench/handlers': `${MEASURES} adapters bench/loopback lambdas providers test/fixtures/** npm:@middy/core`,
  'bench/latency': `${MEASURES} adapters operator/cost`,
  'bench/billing': `${MEASURES} adapters bench/loopback lambdas operator/cost operator/sources providers test/fixtures/** npm:@aws-sdk/*`,
  'bench/side-by-side': `${MEASURES} test/adapters/**`,
  'bench/peers': 'npm:* node:*',
  'bench/isolation': `${MEASURES} adapters lib providers test/adapters/** npm:@aws-sdk/*`,
  'bench/growth': `${MEASURES} adapters bench/billing operator/cost`,
  'bench/screens': `${MEASURES} adapters bench/billing cli console/server operator/** providers`,
  'bench/sizing': `${MEASURES} adapters bench/billing bench/growth bench/isolation operator/cost`,
  'bench/calibration': `${MEASURES} bench/loopback operator/cost npm:@aws-sdk/*`,
  'bench/sweep': `${MEASURES} bench/loopback`,
};

/** Files that belong to another room than their folder's. */
export const MOVED: Readonly<Record<string, string>> = { 'core/inbound/ports.ts': 'core/inbound/protocol' };
