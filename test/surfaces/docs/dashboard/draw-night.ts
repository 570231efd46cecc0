/** docs/operate/dashboard.svg: drawn from the synthesized dashboard of `prod` and two simulated hours. */
import { readDashboard } from './body.ts';
import { drawDashboard } from './draw.ts';
import { liveThroughTheNight, STORY } from './night.ts';

const SAYS = [
  'Drawn from the JSON of the dashboard holdfast-prod. Not a screenshot of CloudWatch. The numbers are two simulated hours of the gateway in memory. Grey alarms are not evaluated here.',
  ...STORY,
];

/** The picture as SVG. */
export async function drawNight(): Promise<string> {
  return drawDashboard(await readDashboard('prod'), await liveThroughTheNight(), SAYS);
}
