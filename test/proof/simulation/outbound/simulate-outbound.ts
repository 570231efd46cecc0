/** By hand: `node test/proof/simulation/outbound/simulate-outbound.ts <endpoints> <days> <messages per hour> <seed> [--calm] [--kills] [--abandoned] [--short]` */
import { argv } from 'node:process';
import { simulate } from './run.ts';

const [endpoints = '40', days = '1', perHour = '20', seed = '1'] = argv.slice(2);
const startedAt = Date.now();
const report = await simulate({
  endpoints: Number(endpoints),
  days: Number(days),
  perHour: Number(perHour),
  seed: Number(seed),
  calm: argv.includes('--calm') || argv.includes('--kills'),
  ...(argv.includes('--kills') ? { killEveryMs: 10_000 } : {}),
  ...(argv.includes('--abandoned') ? { abandoned: true, retentionDays: 10 } : {}),
  ...(argv.includes('--short') ? { schedule: '27-hours' as const } : {}),
});
const { complaints, ...numbers } = report;
process.stdout.write(`${JSON.stringify({ ...numbers, seconds: (Date.now() - startedAt) / 1_000 }, undefined, 1)}\n`);
for (const complaint of complaints.slice(0, 40)) process.stdout.write(`${complaint}\n`);
process.stdout.write(`${complaints.length} complaints\n`);
