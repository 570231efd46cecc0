import { setTimeout as wait } from 'node:timers/promises';
import { DescribeAlarmsCommand, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import type { AwsClients } from '#local/emulator/aws-clients.ts';
import type { LocalAws } from '#local/emulator/emulator.ts';
import type { DeployedStack } from '#local/stacks/deployed-stack.ts';
import { type AlarmDefinition, readAlarms } from './alarm-definition.ts';
import { MetricCollector } from './collect-metrics.ts';
import { type AlarmState, evaluateAlarm } from './evaluate-alarm.ts';
import type { JudgedAlarms } from './judged-alarms.ts';
import { MetricStore } from './metric-store.ts';

const INTERVAL_MS = 5_000;

export interface AlarmChange {
  readonly name: string;
  readonly from: string;
  readonly to: AlarmState;
  readonly reason: string;
}

/**
 * Gives the deployed alarms the states their definitions ask for, until aborted: the local AWS evaluates neither metric math
 * nor dimensions. State changes run the alarms' real actions. `onChange` is told of each.
 */
export async function runAlarms(
  aws: LocalAws,
  clients: AwsClients,
  stacks: readonly DeployedStack[],
  onChange: (change: AlarmChange) => void,
  signal: AbortSignal,
  judged?: Pick<JudgedAlarms, 'set'>,
): Promise<void> {
  const since = Date.now();
  const store = new MetricStore();
  const collector = new MetricCollector(aws, clients, stacks, store, since);
  const { alarms } = readAlarms(stacks, store);
  judged?.set(alarms);
  let evaluated = since;
  while (!signal.aborted) {
    try {
      const now = Date.now();
      // Anew each time: somebody may have let one ring (`holdfast alarms test`), which ends when it is judged again.
      const states = await readStates(clients);
      await collector.collect(now);
      for (const at of momentsUntil(now, evaluated, store)) {
        for (const alarm of alarms) await setState(clients, alarm, states, at, since, onChange);
        evaluated = at;
      }
    } catch (error) {
      if (signal.aborted) return;
      // A busy emulator misses a beat; the next one sees the same datapoints.
      if (!(error instanceof Error)) throw error;
    }
    await wait(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * The moments to evaluate alarms at, after the last one. A busy machine may take longer for a look than a period lasts: no
 * moment in between is left out.
 */
export function* momentsUntil(now: number, last: number, store: MetricStore): Generator<number> {
  for (let at = last; at < now; ) {
    at = Math.min(at + INTERVAL_MS, now);
    yield at;
    store.lookedUntil = at;
  }
}

async function readStates(clients: AwsClients): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  let NextToken: string | undefined;
  do {
    const page = await clients.cloudWatch.send(new DescribeAlarmsCommand({ ...(NextToken && { NextToken }) }));
    for (const alarm of page.MetricAlarms ?? []) states.set(alarm.AlarmName ?? '', alarm.StateValue ?? '');
    NextToken = page.NextToken;
  } while (NextToken);
  return states;
}

async function setState(
  clients: AwsClients,
  alarm: AlarmDefinition,
  states: Map<string, string>,
  now: number,
  since: number,
  onChange: (change: AlarmChange) => void,
): Promise<void> {
  const result = evaluateAlarm(alarm, now, since);
  const from = states.get(alarm.name) ?? 'INSUFFICIENT_DATA';
  if (!result || result.state === from) return;
  const { state: to, reason } = result;
  await clients.cloudWatch.send(
    new SetAlarmStateCommand({ AlarmName: alarm.name, StateValue: to, StateReason: reason }),
  );
  states.set(alarm.name, to);
  onChange({ name: alarm.name, from, to, reason });
}
