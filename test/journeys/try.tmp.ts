import { FAULTS, interestingCalls, runJourney } from './support/crash-run.ts';
import { JOURNEYS } from './support/journeys.ts';

const only = process.argv[2];
let total = 0,
  all = performance.now();
for (const journey of JOURNEYS.filter(it => !only || it.name.includes(only))) {
  const base = await runJourney(journey);
  const calls = interestingCalls(base.stage.calls, journey.name === 'happy path' ? 1 : 0);
  console.log(
    journey.name,
    'N',
    base.stage.calls.length,
    'interesting',
    calls.length,
    base.complaints,
    base.stage.answers.map(a => a?.status).join(),
  );
  if (process.argv[3] === 'base') {
    console.log(base.stage.calls.map(c => `${c.n} ${c.role}.${c.name} ${c.at - 1767571200000}`).join('\n'));
    continue;
  }
  const t = performance.now();
  let runs = 0;
  const bad = new Map<string, string[]>();
  for (const call of calls)
    for (const fault of FAULTS)
      for (const retries of [0, 2]) {
        const v = await runJourney(journey, new Map([[call.n, fault]]), retries);
        runs++;
        for (const c of v.complaints)
          bad.set(c, [...(bad.get(c) ?? []), `${call.n} ${call.role}.${call.name} ${fault} r${retries}`]);
        if (v.stage.answers.every(a => a?.status === 200)) break;
      }
  total += runs;
  console.log(
    '   runs',
    runs,
    ((performance.now() - t) / runs).toFixed(2),
    'ms each',
    ((performance.now() - t) / 1000).toFixed(1),
    's',
  );
  for (const [c, where] of bad) console.log('   BAD', c, where.length, where.slice(0, 6));
}
console.log(total, (performance.now() - all) / 1000);
