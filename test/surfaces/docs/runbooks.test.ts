/** Each alarm stands on exactly one runbook; each runbook has the one form, no shell, and what nobody may forget. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listAlarms } from '../../lib/synth/alarm-list.ts';
import { everyCommand } from '../cli/every-command.ts';
import { ROOT } from './pages.ts';

const FOLDER = join(ROOT, 'docs/runbooks');
const pages = new Map(
  readdirSync(FOLDER)
    .filter(name => name !== 'README.md')
    .map(name => [name.replace(/\.md$/, ''), readFileSync(join(FOLDER, name), 'utf8')]),
);
let alarms: Awaited<ReturnType<typeof listAlarms>>;
beforeAll(async () => {
  alarms = await listAlarms();
});

/** What a person has to know who follows the page at night. */
const SURVIVES: Readonly<Record<string, readonly RegExp[]>> = {
  'dead-letters': [/`effect_refused`/, /90 days/, /\b14\b/, /redrive --cause never_recorded/],
  'handlers-fail': [/nine hours/, /pause <source>/, /only fails tells once/],
  'events-wait': [/120,000/, /processor stop/, /queue\.maxConcurrency/],
  'processor-crashes': [/`signal`/, /timeout/, /throws does not count/],
  'events-overdue': [/before anything else/, /first deploy/, /`deploying`/],
  'paused-too-long': [/removed source/],
  'providers-get-errors': [/three days/, /queue only/, /`throttle` to 1/],
  'throttled-tables': [/each index/, /4,000/, /1,000/, /`rate`/],
  'no-concurrency': [/limit of 10/, /`reservedConcurrency`/],
  'too-many-requests': [/`allowList`/, /address-limit\.md/],
  'wrong-secret': [/--grace 24h/, /seven times/, /forged/, /first success/],
  'silent-source': [/`silence`/, /[Rr]edeliver|redeliver/],
  probe: [/`not_completed`/, /`refused`/, /`dependency`/],
  'odd-events': [/--body/, /`unstableBody/, /`dedupOnBody/, /`dates/],
  audit: [/`owed_but_not_watched`/, /`watch_overdue`/, /`payload_missing`/, /37 days/],
  'missing-deliveries': [/`page_limit`/, /`overtaken`/, /`lost`/],
  'clocks-and-metrics': [/ten minutes/, /`_aws`/],
  'sending-falls-behind': [/`slots`/, /`max_concurrency`/],
  'sending-lost-work': [/two hours/, /`PurgeQueue`/],
  'endpoints-fail': [/--dry-run/, /change of ours/],
  'our-sending-fails': [/`dns`, `connect`, `tls`/, /_outbound/],
};

it('there are 21, and each has what must survive', () => {
  expect([...pages.keys()].sort()).toEqual(Object.keys(SURVIVES).sort());
  expect(pages.size).toBe(21);
  for (const [page, needed] of Object.entries(SURVIVES))
    for (const each of needed) expect(pages.get(page), page).toMatch(each);
});

it('each alarm stands on exactly one, which its own description names', () => {
  expect(alarms.length).toBeGreaterThan(80);
  for (const { id, page } of alarms) {
    const on = [...pages].flatMap(([name, text]) =>
      [...text.matchAll(/`([a-z-]+?)(-…)?` \((?:page|ticket|notice), /g)]
        .filter(([, row = '', goesOn]) => id === row || (goesOn !== undefined && id.startsWith(`${row}-`)))
        .map(() => name),
    );
    expect(on, id).toEqual([page]);
  }
});

describe.each([...pages])('%s', (_name, text) => {
  const prose = text.replace(/<!-- written:alarms -->[\s\S]*?<!-- \/written -->/, '');

  it('has the one form, and at most 320 words beside its alarms', () => {
    const parts = [...text.matchAll(/^## (.+)$|^\*\*(Harm)\.\*\*/gm)].map(([, heading, harm]) => heading ?? harm);
    expect(parts).toEqual(['Harm', 'First', 'Decide', 'Repair', 'Over when', 'Hand on']);
    expect(prose.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(320);
  });

  it('begins with one command, and has no shell but holdfast', () => {
    const [, first = ''] = /\n## First\n\n(.*)\n\n## Decide/.exec(text) ?? [];
    expect(first).toMatch(/^`(?:holdfast .+ --env \$ENV|aws lambda get-account-settings --query AccountLimit)`$/);
    expect(text).not.toContain('```');
    const known = everyCommand().map(({ path }) => path.join(' '));
    for (const [, line = ''] of prose.matchAll(/`holdfast ([^`]+)`/g))
      expect(
        known.some(it => line === it || line.startsWith(`${it} `)),
        line,
      ).toBe(true);
  });
});

it('two calls of AWS are left: the quota and the warm throughput', () => {
  const calls = [...pages.values()].flatMap(text => [...text.matchAll(/`(aws \S+ \S+)/g)].map(([, call]) => call));
  expect([...new Set(calls)].sort()).toEqual(['aws dynamodb describe-table', 'aws lambda get-account-settings']);
});
