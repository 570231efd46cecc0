/** One source of words: what people read of states, causes and waits comes from core/words.ts, at every face. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EVENT_STATUSES } from '#core/glossary.ts';
import { ANSWER_CLASSES } from '#core/outbound/ports.ts';
import { STATES } from '#core/outbound/protocol/endpoint-state.ts';
import { FINAL_STATUSES, OPEN_STATUSES } from '#core/outbound/protocol/items.ts';
import {
  answerWords,
  causeWords,
  dayWords,
  type EndpointState,
  endpointWords,
  stateOfWord,
  stateWord,
  waitsWords,
} from '#core/words.ts';

const ROOT = join(import.meta.dirname, '../..');
const FACES = ['cli', 'console', 'mcp', 'portal/app', 'ui', 'operator', 'lib/alarms'];
/** Words of the code, which no stranger knows. */
const JARGON =
  /\b(?:breakers?|probes?|generations?|unfinished|deferred|half.open|sweeper begins|wake tokens?|closed gates?)\b/i;
/** A probe of `doctor --deep`, with its secret, is a thing that somebody configures by this name; `out probe` was a command's. */
const MAY = [
  'operator/health/deep-check.ts',
  'operator/sources/list-secrets.ts',
  'cli/commands/out/acts.ts',
  'cli/gone-commands.ts',
];
const KNOWN: readonly string[] = [
  ...EVENT_STATUSES,
  ...STATES,
  ...OPEN_STATUSES,
  ...FINAL_STATUSES,
  ...ANSWER_CLASSES.filter(of => of !== 'ok'),
];

const files = FACES.flatMap(face =>
  readdirSync(join(ROOT, face), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => `${face}/${name}`),
);

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

/** Prose of a file: literals with a space between words, and text between tags. */
function proseOf(text: string): readonly string[] {
  const code = withoutComments(text).replace(/^import .*$/gm, '');
  const literals = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map(
    ([, plain, template = '']) => plain ?? template.replace(/\$\{[^}]*\}/g, 'X'),
  );
  const between = [...code.matchAll(/>([^<>{}=;()]+)</g)].map(([, said = '']) => said);
  return [...literals.filter(said => /\S \S/.test(said)), ...between];
}

/** States and causes that have a text of their own here; one alone may be a name. */
function tableOf(text: string): readonly string[] {
  const pairs = [...withoutComments(text).matchAll(/\b(\w+):\s*'([^'\n]* [^'\n]*)'/g)];
  const found = pairs.filter(([, name = '']) => KNOWN.includes(name)).map(([pair]) => pair);
  return found.length > 1 ? found : [];
}

it('no face has a word of the code in its prose, or a table of words of its own', () => {
  const wrong = files.flatMap(name => {
    const text = readFileSync(join(ROOT, name), 'utf8');
    const jargon = MAY.includes(name) ? [] : proseOf(text).filter(said => JARGON.test(said));
    return [...jargon, ...tableOf(text)].map(said => `${name}: ${said.trim().slice(0, 100)}`);
  });
  expect(wrong).toEqual([]);
  const planted = "const A = { denied: 'access denied', gone: 'it went away' }; const b = `the breaker is open`;";
  expect(tableOf(planted)).toHaveLength(2);
  expect(proseOf(`${planted} <b>Unfinished</b>`).filter(said => JARGON.test(said))).toHaveLength(2);
});

it('each state and each cause has words without an underscore, and a word finds its state again', () => {
  for (const name of KNOWN) {
    expect(stateWord(name)).not.toMatch(name === 'message_refused' ? /^$/ : JARGON);
    expect(causeWords(name)).not.toMatch(/_/);
  }
  for (const state of EVENT_STATUSES) {
    expect(stateWord(state)).not.toContain('_');
    expect(stateOfWord(stateWord(state).replaceAll(' ', '-'), EVENT_STATUSES)).toBe(state);
    expect(stateOfWord(state, EVENT_STATUSES)).toBe(state);
  }
  expect(stateOfWord('nonsense', EVENT_STATUSES)).toBe('nonsense');
});

it('says of an endpoint since when, the last answer, and what happens next at what time', () => {
  const well: EndpointState = {
    ...{ gate: 'open', state: 'ok', why: null, failing_since: null, failed_in_a_row: 0, next_trial_at: null },
    ...{ last_success_at: null, last_failure: null, success_rate_24h: 0.994, closed_by: null, closed_at: null },
  };
  const said = (of: Partial<EndpointState>): string => endpointWords({ ...well, ...of }, iso => iso.slice(11, 16));
  const last_failure = { at: '2026-11-24T14:20:00Z', class: 'busy', code: 503 };
  const failing_since = '2026-11-24T14:02:00Z';
  expect(said({})).toBe('99 % accepted in 24 hours');
  expect(said({ state: 'untried' })).toBe('nothing was sent to it yet');
  expect(said({ state: 'pulled' })).toBe('nothing was acknowledged yet');
  const held = { state: 'holding', failing_since, last_failure, next_trial_at: '2026-11-24T14:32:00Z' };
  expect(said({ ...held, why: 'breaker', failed_in_a_row: 5 })).toBe(
    'on hold after 5 failed tries; next try 14:32; fails since 14:02; last answer 503, it is overloaded',
  );
  expect(said({ ...held, why: 'throttled', failing_since: null })).toMatch(
    /^on hold: the endpoint asked us to wait; next try 14:32; last/,
  );
  expect(said({ state: 'failing', last_failure: { ...last_failure, class: 'message_refused', code: 422 } })).toBe(
    'fails; it has never accepted one; last answer 422, it refused the message; 99 % accepted in 24 hours',
  );
  const once = { state: 'failing', last_failure, last_success_at: '2026-11-24T14:01:00Z' };
  expect(said(once)).toBe('fails; last accepted 14:01; last answer 503, it is overloaded; 99 % accepted in 24 hours');
  expect(said({ ...once, last_success_at: '2026-11-24T14:21:00Z' })).toMatch(/^fails; last answer 503/);
  expect(said({ ...once, failing_since, next_trial_at: '2026-11-24T14:32:00Z' })).toMatch(
    /^fails since 14:02; next try 14:32; last answer 503/,
  );
  const paused = {
    state: 'paused',
    why: 'ada: their deploy',
    closed_by: 'operator',
    closed_at: '2026-11-24T14:00:00Z',
  };
  expect(said(paused)).toBe('by an operator since 14:00: “ada: their deploy”');
  expect(said({ ...paused, closed_by: 'customer', why: null })).toBe('by the customer since 14:00');
  const disabled = { ...paused, state: 'disabled', closed_by: 'system', why: 'gone' };
  expect(said(disabled)).toBe('by us since 14:00: it says that it is gone');
  const gone = { ...disabled, last_failure: { ...last_failure, class: 'gone', code: 410 } };
  expect(said(gone)).toBe('by us since 14:00: it says that it is gone');
  expect(answerWords(null, 'timeout')).toBe('no answer, no answer in time');
  // 405 is no refusal of the message: whoever judges it and whoever says it read the same list.
  for (const code of [404, 405])
    expect(answerWords(code, 'denied')).toBe(`${code}, nothing takes webhooks at this address`);
  expect(answerWords(403, 'denied')).toBe('403, it denied access');
});

it('says how many wait and how many are tried again, wherever it is counted', () => {
  const waiting = { count: 30, retrying: 2, more: false, about: null };
  expect(waitsWords(waiting)).toBe('28 waiting, 2 retrying');
  expect(waitsWords({ ...waiting, retrying: 30 })).toBe('30 retrying');
  expect(waitsWords({ ...waiting, count: 0, retrying: 0 })).toBe('');
  expect(waitsWords({ ...waiting, count: 1_000, more: true })).toBe('1,000 or more waiting');
  expect(waitsWords({ ...waiting, about: 12_000 })).toBe('about 12,000 waiting');
});

it('says of the hour before the running one no time that may be wrong: it ended a minute ago, or an hour', () => {
  const none = Array(22).fill(0);
  expect(dayWords({ successes: [0, 0, ...none], failures: [1, 8, ...none] })).toBe(
    '9 tries in 24 hours, 9 failed, most of them in the hour before this (8 of 8)',
  );
  expect(dayWords({ successes: [0, 0, ...none], failures: [8, 1, ...none] })).toMatch(/in this hour \(8 of 8\)$/);
});
