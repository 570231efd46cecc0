/**
 * Benchmark (d): Holdfast beside what a team would otherwise run, on this machine: the CPU of the programs for an event,
 * without that of the stores, and what is left of acknowledged events when programs are killed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pinGenerator } from '#test/kit/processes/programs.ts';
import type { RunningSystem, System } from '#test/kit/processes/system.ts';
import type { Bench, Section } from '../report/section.ts';
import { bullmq } from './bullmq.ts';
import { measureRest, measureRound, type Rest, type Round, warmUp } from './cpu-per-event.ts';
import { holdfast } from './holdfast.ts';
import { installPeers } from './install-peers.ts';
import { killStorm, type Losses } from './kill-storm.ts';
import type { Plan } from './plan.ts';
import { postgres } from './postgres.ts';
import { type Outcome, ratio, reportSideBySide } from './report.ts';
import { webhook } from './webhook.ts';

const SYSTEMS: readonly System[] = [holdfast, postgres, bullmq, webhook];
const PEERS = join(import.meta.dirname, '../peers');
const DUPLICATES = 0.05;

const LOAD = { perSecond: 20, duplicates: DUPLICATES };
const FULL: Plan = {
  ...LOAD,
  ...{ warmUps: 8, restSeconds: 30, rounds: 5, repeats: 5, roundSeconds: 15 },
  ...{ kills: 20, killSeconds: 60 },
};
const QUICK: Plan = {
  ...LOAD,
  ...{ warmUps: 3, restSeconds: 10, rounds: 2, repeats: 2, roundSeconds: 10 },
  ...{ kills: 5, killSeconds: 15 },
};

/** Of a judge: CPU only, against the peers that keep what they acknowledge. */
const JUDGE: Plan = {
  ...LOAD,
  ...{ warmUps: 3, restSeconds: 10, rounds: 3, repeats: 2, roundSeconds: 10 },
  ...{ kills: 0, killSeconds: 0 },
};

/** A system under test, and what is known of it so far. */
interface Candidate {
  readonly system: System;
  readonly running: RunningSystem;
  rest?: Rest;
  readonly rounds: Round[];
  /** Rounds that were disturbed: an event was refused. */
  readonly repeated: Round[];
  losses?: Losses;
}

export const measureSideBySide: Bench = async ({ quick, say }): Promise<Section> => {
  const plan = quick ? QUICK : FULL;
  return await withSystems(SYSTEMS, say, async (all, skipped) => {
    await measureCpu(all, plan, say);
    await killAll(all, plan, say);
    return reportSideBySide(all.map(outcomeOf), skipped, plan);
  });
};

/** CPU of an event over that of each durable peer. Throws, saying why, where one of them does not run on this machine. */
export async function measurePeers(say: (line: string) => void): Promise<Readonly<Record<string, number>>> {
  return await withSystems([holdfast, postgres, bullmq], say, async (all, skipped) => {
    if (skipped[0] !== undefined) throw new Error(skipped[0]);
    await measureCpu(all, JUDGE, say);
    const [ours, ...peers] = all as [Candidate, ...Candidate[]];
    return Object.fromEntries(peers.map((peer, n) => [`sdkOverPeer${n + 1}`, ratio(ours, peer)]));
  });
}

/** Starts the systems, does the work and stops them. `skipped`: those that do not start here, and why. */
async function withSystems<Result>(
  systems: readonly System[],
  say: (line: string) => void,
  work: (all: readonly Candidate[], skipped: readonly string[]) => Promise<Result>,
): Promise<Result> {
  await installPeers(PEERS);
  pinGenerator();
  const folders: string[] = [];
  const all: Candidate[] = [];
  const skipped: string[] = [];
  try {
    for (const system of systems) {
      say(`  ${system.name}: start`);
      try {
        folders.push(mkdtempSync(join(tmpdir(), 'side-by-side-')));
        const running = await system.start(folders.at(-1) ?? '');
        all.push({ system, running, rounds: [], repeated: [] });
      } catch (error) {
        skipped.push(`${system.name} was skipped: ${error instanceof Error ? error.message : String(error)}`);
        say(`  ${skipped.at(-1)}`);
      }
    }
    return await work(all, skipped);
  } finally {
    await Promise.allSettled(all.map(it => it.running.stop()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

/** Systems take turns in each round, so that a busy neighbour disturbs them alike. */
async function measureCpu(all: readonly Candidate[], plan: Plan, say: (line: string) => void): Promise<void> {
  for (const { system, running } of all) {
    const windows = await warmUp(running, plan.warmUps);
    say(`  ${system.name}: warmed up, CPU µs per event ${windows.map(Math.round).join(', ')}`);
  }
  const rests = await measureRest(
    all.map(it => it.running),
    plan.restSeconds,
  );
  for (const [n, each] of all.entries()) each.rest = rests[n] as Rest;
  for (let n = 0; n < plan.rounds; n += 1) for (const each of all) await measureTurn(each, plan, say);
}

async function killAll(all: readonly Candidate[], plan: Plan, say: (line: string) => void): Promise<void> {
  const { perSecond, duplicates } = plan;
  for (const each of all) {
    const load = { perSecond, duplicates, seconds: plan.killSeconds, retryForMs: 120_000 };
    each.losses = await killStorm(each.running, load, plan.kills);
    say(`  ${each.system.name}: ${JSON.stringify(each.losses)}`);
  }
}

/** One round of a system; again when an event was refused: then the machine was busy with something else. */
async function measureTurn(each: Candidate, plan: Plan, say: (line: string) => void): Promise<void> {
  const { system, running, rest, rounds, repeated } = each;
  if (!rest) throw new Error(`${system.name} has not been at rest`);
  const load = { perSecond: plan.perSecond, duplicates: plan.duplicates, seconds: plan.roundSeconds, retryForMs: 0 };
  for (;;) {
    const round = await measureRound(running, load, rest);
    say(`  ${system.name}, round ${rounds.length + 1}: ${JSON.stringify(round)}`);
    if (round.refused === 0 || repeated.length === plan.repeats) {
      rounds.push(round);
      return;
    }
    repeated.push(round);
  }
}

function outcomeOf({ system, rest, rounds, repeated, losses }: Candidate): Outcome {
  if (!rest || !losses) throw new Error(`${system.name} was not measured to its end`);
  return { system, rest, rounds, repeated: repeated.length, losses };
}
