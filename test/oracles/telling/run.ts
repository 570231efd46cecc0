/**
 * What we tell OpenTelemetry, Slack and PagerDuty, before what they publish: OTLP's protobuf messages (Python), Slack's Block
 * Kit models (Python) and types, the types of PagerDuty's JavaScript client. Each must accept every body and refuse each that
 * was spoiled. PagerDuty's types know neither `client` nor a `resolve` without a payload, which its documentation has: those
 * two are judged by test/fixtures/schemas/pagerduty-event.json alone.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { bodies, type Told } from './bodies.ts';

const here = (path: string): string => new URL(path, import.meta.url).pathname;
const all = bodies();
let wrong = 0;

function report(judge: string, cases: readonly Told[], verdicts: readonly (string | null)[]): void {
  if (verdicts.length !== cases.length)
    throw new Error(`${judge} answered ${verdicts.length} of ${cases.length} bodies`);
  const accepted = verdicts.filter(it => it === null).length;
  const bad = cases.flatMap((told, n) =>
    told.spoiled === (verdicts[n] !== null || undefined) ? [] : [[told, verdicts[n]] as const],
  );
  console.log(`${judge}: ${accepted} accepted, ${cases.length - accepted} refused, ${bad.length} wrong`);
  for (const [{ kind, name }, why] of bad) console.error(`✗ ${kind} "${name}": ${why ?? 'accepted'}`);
  wrong += bad.length;
}

const versions = readFileSync(here('requirements.txt'), 'utf8').match(/^[\w-]+==[\d.]+/gm) ?? [];
const packages = here('../.python-telling');
if (!existsSync(`${packages}/slack_sdk`))
  run('python3', [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--no-deps',
    '--require-hashes',
    '--target',
    packages,
    '-r',
    here('requirements.txt'),
  ]);
const asked = all.filter(it => it.kind !== 'pagerDuty');
const input = JSON.stringify(asked);
report(
  `Python ${versions.join(', ')}`,
  asked,
  JSON.parse(run('python3', [here('judge.py')], { input, env: { PYTHONPATH: packages } })),
);

for (const { kind, type, from, body } of [
  {
    kind: 'slack',
    type: 'KnownBlock[]',
    from: '@slack/types',
    body: (it: unknown) => (it as { blocks: unknown }).blocks,
  },
  { kind: 'pagerDuty', type: 'EventPayloadV2', from: '@pagerduty/pdjs/build/src/events', body: withoutClient },
] as const) {
  const cases = all.filter(it => it.kind === kind && body(it.body) !== undefined);
  report(
    `types of ${from}`,
    cases,
    typeCheck(
      type,
      from,
      cases.map(it => body(it.body)),
    ),
  );
}
process.exit(wrong === 0 ? 0 : 1);

/** Undefined: a `resolve`. */
function withoutClient(event: unknown): unknown {
  const { client: _client, ...rest } = event as Record<string, unknown>;
  return 'payload' in rest ? rest : undefined;
}

/** Each value as a literal of the type, in one program: an error is of the literal on whose line it is. */
function typeCheck(type: string, from: string, values: readonly unknown[]): readonly (string | null)[] {
  const folder = here('../node_modules/.told');
  mkdirSync(folder, { recursive: true });
  const name = `${folder}/${type.replace(/\W/g, '')}.ts`;
  const [imported] = type.split('[');
  const lines = values.map((value, n) => `export const body${n}: ${type} = ${JSON.stringify(value)};`);
  writeFileSync(name, `import type { ${imported} } from '${from}';\n${lines.join('\n')}\n`);
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'preserve',
    '--lib',
    'es2022,dom',
    '--types',
    '',
    '--pretty',
    'false',
  ];
  const { stdout } = spawnSync(
    process.execPath,
    [here('../../../node_modules/typescript/bin/tsc'), ...flags, '--ignoreConfig', name],
    { encoding: 'utf8' },
  );
  const errors = [...stdout.matchAll(/\.ts\((\d+),\d+\): error (TS\d+: .*)/g)].map(([, line, text]) => ({
    at: Number(line) - 2,
    text: text ?? '',
  }));
  const loose =
    errors.find(({ at }) => at < 0) ?? (errors.length === 0 && stdout.trim() !== '' ? { text: stdout } : undefined);
  if (loose) throw new Error(`tsc could not judge ${type}: ${loose.text}`);
  return values.map((_, n) => errors.find(({ at }) => at === n)?.text ?? null);
}

function run(
  command: string,
  parts: readonly string[],
  { input = '', env = {} }: { input?: string; env?: object } = {},
): string {
  const result = spawnSync(command, parts, {
    input,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 300_000,
  });
  if (result.error)
    throw new Error(`${command} could not be started: install it, this part needs it`, { cause: result.error });
  if (result.status !== 0) throw new Error(`${command} failed:\n${result.stderr}`);
  return result.stdout;
}
