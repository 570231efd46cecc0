/** npm run docs:dashboard: draws docs/dashboard.svg from the synthesized dashboard of `prod`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDashboard } from './body.ts';
import { drawDashboard } from './draw.ts';
import { liveThroughTheNight, STORY } from './night.ts';

const says = [
  'Drawn from the JSON of the dashboard holdfast-prod. Not a screenshot of CloudWatch. The numbers are two simulated hours of the gateway in memory. Grey alarms are not evaluated here.',
  ...STORY,
];
const picture = drawDashboard(await readDashboard('prod'), await liveThroughTheNight(), says);
writeFileSync(join(import.meta.dirname, '../../../../docs/dashboard.svg'), picture);
