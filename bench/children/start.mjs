// A process that starts as Lambda's runtime starts a function: http is loaded, then the module is imported. What
// STEP says happens next; the last line of its output tells the CPU microseconds since the import began and in all.

// As Lambda's runtime does: an import statement would load all of undici with it.
const { request } = process.getBuiltinModule('node:http');
const { STEP, MODULE, EVENT, CALLS } = process.env;
const before = process.cpuUsage();
const module = await import(MODULE);
if (STEP === 'first-event') {
  const answer = await module.handler(JSON.parse(EVENT), { getRemainingTimeInMillis: () => 10_000 });
  if (answer.statusCode !== 200) throw new Error(`answered ${JSON.stringify(answer)}`);
}
if (STEP === 'first-calls') await module.callAll(request, JSON.parse(CALLS));
const since = process.cpuUsage(before);
const all = process.cpuUsage();
process.stdout.write(`\n${JSON.stringify({ since: since.user + since.system, all: all.user + all.system })}\n`, () =>
  process.exit(0),
);
