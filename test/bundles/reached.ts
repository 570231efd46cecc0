/** What a function has, and what of it a run reached: each file of its bundle read, each right of its role used. */
import { readdirSync } from 'node:fs';
import type { Stage } from './stage.ts';

/** `DrainFast` and `DrainSlow` are one bundle. */
const bundleOf = (id: string): string => id.replace(/(Fast|Slow)$/, '');

/** Lambda's own, the key of a topic, and what CDK's grants give beside what was asked for. */
const NOT_COUNTED = /^(?:logs|kms):|^s3:ListBucket$|^sqs:GetQueueUrl$/;

/** What no run reached: `Sweep: lazy-x.mjs was not read`, `Sweep: sqs:SendMessage was not asked for`. */
export function unreached(stages: readonly Stage[]): readonly string[] {
  const missing: string[] = [];
  for (const bundle of new Set(stages.flatMap(stage => [...stage.processes.keys()].map(bundleOf)))) {
    const [has, read, granted, used] = [new Set<string>(), new Set<string>(), new Set<string>(), new Set<string>()];
    for (const stage of stages) {
      for (const [id, process] of stage.processes) {
        const it = stage.deployed.functions[id];
        if (bundleOf(id) !== bundle || it === undefined) continue;
        for (const file of readdirSync(it.folder)) if (!file.endsWith('.map')) has.add(stable(file));
        for (const file of process.files) read.add(stable(file));
        for (const { effect, actions } of it.statements)
          if (effect === 'Allow') for (const each of actions) granted.add(each);
        for (const right of stage.gate.used) if (right.startsWith(`${id} `)) used.add(right.slice(id.length + 1));
      }
    }
    for (const file of has) if (!read.has(file)) missing.push(`${bundle}: ${file} was not read`);
    for (const action of granted)
      if (!used.has(action) && !NOT_COUNTED.test(action)) missing.push(`${bundle}: ${action} was not asked for`);
  }
  return missing.sort();
}

/** The same part has another hash in another configuration, and no name of its own. */
const stable = (file: string): string => file.replace(/-[0-9A-Z]{8}(?=\.mjs$)/, '');
