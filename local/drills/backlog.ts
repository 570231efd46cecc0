import { sideBySide } from '#core/side-by-side.ts';
import type { Drill } from './drill.ts';

const ALARM = 'process-queue-age';
const EVENTS = 120;
const SLOW_MS = 7_000;
const OUTAGE_MS = 70_000;

export const backlog: Drill = {
  title: 'backlog',
  about:
    'A service that the handlers of one source call is slow; the queue grows older than it should (docs/runbooks/events-wait.md).',
  async play(stage) {
    const { transcript } = stage;
    const names = Array.from({ length: EVENTS }, (_, n) => `slow-${n}`);
    const until = Date.now() + OUTAGE_MS;
    transcript.step(`${EVENTS} events come in while each takes ${SLOW_MS / 1_000} s instead of milliseconds.`);
    await sideBySide(names, name => stage.send(name, { behave: 'sleep', ms: SLOW_MS, until }), 20);
    transcript.step('The ticket.');
    await stage.page(ALARM, 90);
    transcript.step('Following the runbook: how deep is it, and whose is it?');
    await stage.run('status', { codes: [0, 1] });
    await stage.run('events ls --status pending --since 1h --limit 3');
    transcript.step('One source has everything: it is held back, so that the others get through.');
    await stage.run('pause default --why "the service behind it is slow" --yes');
    await stage.ok(150, ALARM);
    transcript.step('The service is well again.');
    await stage.until(Math.max(0, until - Date.now()) / 1_000 + 1, async () => (Date.now() > until ? true : undefined));
    await stage.run('resume default');
    await stage.completedOnce(names, 180);
    await stage.ok(60, ALARM);
  },
};
