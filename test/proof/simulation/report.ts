/** The report of a run, for people. */
import { MINUTE_MS } from '#core/time.ts';
import type { SimulationReport } from './run-simulation.ts';
import { TROUBLES } from './weather.ts';

const number = (value: number): string => Math.round(value).toLocaleString('en-US');
const list = (counts: Iterable<readonly [string, number]>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} ${number(count)}`)
    .join(', ') || 'none';

/** Events a minute of processor time: what one core does, whoever else is using the machine. */
export function eventsPerMinute(report: SimulationReport): number {
  return (report.traffic.events / report.cpuMs) * MINUTE_MS;
}

export function printReport(report: SimulationReport): string {
  const { options, totals, traffic, people, faults, ledger } = report;
  const of = (prefix: string): [string, number][] =>
    [...faults].filter(([name]) => name.startsWith(prefix)).map(([name, n]) => [name.slice(prefix.length), n]);
  const sum = (counts: readonly (readonly [string, number])[]): number => counts.reduce((all, [, n]) => all + n, 0);
  const calls = of('call: ');
  const outages = of('outage: ');
  const crashes = ['call: crash_before', 'call: crash_after', 'kill -9', 'handler killed its process'];
  const crashCount = crashes.reduce((all, name) => all + (faults.get(name) ?? 0), 0);
  const looks = [...report.looks].sort(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
  const lines: [string, string, string][] = [
    [
      'events',
      number(traffic.events),
      `in ${number(traffic.requests)} requests over ${report.virtualDays.toFixed(1)} virtual days`,
    ],
    [
      'acknowledged',
      number(totals.acknowledged),
      `${number(totals.refused)} never accepted, given up by a provider that does not retry long enough`,
    ],
    ['provider retries', number(traffic.retries), ''],
    [
      'duplicates',
      number(report.duplicates),
      `repeated after an answer ${number(traffic.repeated)}, with another body ${number(traffic.otherBodies)}, in the queue as copies: at most ${ledger.mostCopies} of one event`,
    ],
    ['forged', number(traffic.forged), 'requests, none recorded'],
    [
      'faults',
      number(report.faultsInAll),
      `one per ${(traffic.events / Math.max(1, report.faultsInAll)).toFixed(1)} events`,
    ],
    ['  single calls', number(sum(calls)), list(calls)],
    [
      '  crashes',
      number(crashCount),
      list(crashes.map(name => [name.replace('call: ', ''), faults.get(name) ?? 0] as const)),
    ],
    ['  outages', number(sum(outages)), list(outages)],
    ['  others', '', list([...faults].filter(([name]) => !/^(call|outage):|^kill|^handler/.test(name)))],
    ['accepted by queue', number(report.unrecordedAccepted), 'while the table did not answer'],
    ['sent again', number(report.resent), 'by the sweeper'],
    [
      'found by the day',
      number(ledger.foundByAudit),
      'written minutes after their request began, and watched by the daily check',
    ],
    ['leases lost', number(report.leasesLost), 'finishes of an owner that had been replaced: refused'],
    [
      'handler runs',
      number(ledger.handlerRuns),
      `${number(ledger.outsideCalls)} calls to the outside, ${number(totals.effects)} transactional effects`,
    ],
    [
      'replays',
      number(people.replays),
      `bulk replays ${people.jobs}, console redrives ${people.redrives}, pauses ${people.pauses}`,
    ],
    ['ended as', '', list(Object.entries(totals.finals))],
    ['dead letters', number(sum([...report.deadCauses])), list(report.deadCauses)],
    ['purged', number(totals.purged), 'messages a person purged before they had a record'],
    ['lost', number(totals.lost), ''],
    [
      'checks',
      number(sum(looks)),
      `${looks.map(([name, n]) => `${name} ${number(n)}`).join(', ')}; wrong ${report.wrong}`,
    ],
    [
      'speed',
      number(eventsPerMinute(report)),
      `events a minute of one core (${number((traffic.events / report.tookMs) * MINUTE_MS)} a minute on the clock, ${(report.tookMs / 1_000).toFixed(1)} s)`,
    ],
  ];
  const head = `Seed ${options.seed}: ${options.days} days, ${number(options.eventsPerDay)} events a day, ${trouble(report)}`;
  const table = lines.map(([name, value, note]) => `  ${name.padEnd(18)}${value.padStart(11)}  ${note}`.trimEnd());
  return [head, ...table, ...complaints(report)].join('\n');
}

function trouble({ options }: SimulationReport): string {
  const left = TROUBLES.filter(name => !options.troubles.has(name));
  return left.length === 0 ? 'every kind of trouble' : `without ${left.join(', ')}`;
}

function complaints(report: SimulationReport): string[] {
  if (report.wrong === 0) return [];
  const shown = report.complaints.map(({ invariant, text }) => `  ${invariant} ${text}`);
  return [
    `FAILED, seed ${report.options.seed}: ${report.wrong} complaint(s)`,
    ...shown,
    `Again: ${commandOf(report.options)}`,
  ];
}

/** The command that repeats a run. */
export function commandOf({ seed, days, eventsPerDay, troubles }: SimulationReport['options']): string {
  const kinds = TROUBLES.every(name => troubles.has(name)) ? '' : ` --faults ${[...troubles].join(',') || 'none'}`;
  return `npm run simulate -- --seed ${seed} --days ${days} --events-per-day ${eventsPerDay}${kinds}`;
}
