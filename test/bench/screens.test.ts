/** Claim: no list command reads more than fifty units, or takes a second, without saying so first. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openMillion } from '#bench/screens/million.ts';
import { isMuch, type Looked, lookAtAll } from '#bench/screens/screens.ts';

/** The newest of a million. */
const [EVENTS, DEATHS] = [4_000, 400];
/** The first screen, which no one waits for a number of. */
const KNOWN = ['holdfast status'];

describe('among a million events', () => {
  let all: readonly Looked[];
  beforeAll(async () => {
    all = await lookAtAll(await openMillion(EVENTS, DEATHS, 1_000_000));
  }, 120_000);

  it('a command says how much it will read before it reads much', () => {
    const commands = all.filter(({ name }) => name.startsWith('holdfast ') && !KNOWN.includes(name));
    expect(commands.length).toBeGreaterThan(10);
    expect(commands.filter(each => isMuch(each) && each.said === undefined)).toEqual([]);
    const said = commands.flatMap(it => it.said ?? []);
    expect(said).toContain('Reads about 400 events: 400 read units, $0.000050. Ctrl-C ends it');
  });

  it('about as much as it then reads', () => {
    const [hour] = all.filter(({ name }) => name.startsWith('holdfast replay --since 1h'));
    const about = Number(/about ([\d,]+)/.exec(hour?.said ?? '')?.[1]?.replaceAll(',', ''));
    expect(about / (hour?.readUnits ?? 0)).toBeGreaterThan(0.7);
    expect(about / (hour?.readUnits ?? 0)).toBeLessThan(1.3);
  });

  it('what reads little says nothing of it', () => {
    const little = all.filter(each => !isMuch(each) && each.said !== undefined);
    expect(little).toEqual([]);
  });
});
