// A process that starts as Lambda's runtime starts a function: http is loaded, then the module is imported. It tells
// the CPU microseconds since the import began and in all, at the moment that STEP names.
// As Lambda's runtime does: an import statement would load all of undici with it.
process.getBuiltinModule('node:http');
const { writeSync } = process.getBuiltinModule('node:fs');
const { STEP, MODULE, EVENT, CALLS } = process.env;

function tell() {
  const since = process.cpuUsage(before);
  const all = process.cpuUsage();
  writeSync(1, `${JSON.stringify({ since: since.user + since.system, all: all.user + all.system })}\n`);
  process.exit(0);
}

const before = process.cpuUsage();
const module = await import(MODULE);
if (STEP === 'first-event') {
  const answer = await module.handler(JSON.parse(EVENT), { getRemainingTimeInMillis: () => 10_000 });
  if (answer.statusCode !== 200) throw new Error(`answered ${JSON.stringify(answer)}`);
}
if (STEP === 'first-calls') await module.callAll(JSON.parse(CALLS));
tell();
