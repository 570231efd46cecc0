import { expect, test } from 'vitest';
import type { JobQueue, WakeQueue } from '#core/outbound/ports.ts';

export interface OutboundQueuesSubject {
  readonly wake: WakeQueue;
  readonly jobs: JobQueue;
  /** Receives and deletes what is visible of a queue. */
  take(queue: 'wake' | 'jobs'): Promise<readonly { readonly body: string; readonly groupId: string | undefined }[]>;
  wait(seconds: number): Promise<void>;
}

export function outboundQueuesContract(subject: () => OutboundQueuesSubject): void {
  const takeAll = async (queue: 'wake' | 'jobs', count: number) => {
    const found: { readonly body: string; readonly groupId: string | undefined }[] = [];
    for (let tries = 0; found.length < count && tries < 20; tries++) found.push(...(await subject().take(queue)));
    return found;
  };

  test('WakeQueue accepts more wake-ups than one call of the service takes', async () => {
    const wakeUps = Array.from({ length: 23 }, (_, n) => ({ v: 1 as const, ep: `ep_${n}` }));
    await subject().wake.send(wakeUps);
    await subject().wake.send([]);
    const found = await takeAll('wake', 23);
    expect(found.map(({ body }) => body).toSorted()).toEqual(wakeUps.map(wakeUp => JSON.stringify(wakeUp)).toSorted());
  });

  test('WakeQueue hides a delayed wake-up until its time', async () => {
    await subject().wake.send([{ v: 1, ep: 'ep_late', mode: 'end' }], 2);
    expect(await subject().take('wake')).toEqual([]);
    await subject().wait(3);
    const found = await takeAll('wake', 1);
    expect(found.map(({ body }) => body)).toEqual(['{"v":1,"ep":"ep_late","mode":"end"}']);
  });

  test('WakeQueue hides each wake-up until a time of its own', async () => {
    const wakeUps = ['ep_now', 'ep_late'].map(ep => ({ v: 1, ep }) as const);
    await subject().wake.send(wakeUps, [0, 2]);
    const first = await takeAll('wake', 1);
    expect(first.map(({ body }) => body)).toEqual(['{"v":1,"ep":"ep_now"}']);
    await subject().wait(3);
    expect((await takeAll('wake', 1)).map(({ body }) => body)).toEqual(['{"v":1,"ep":"ep_late"}']);
  });

  test('JobQueue sends each job in the group of its application', async () => {
    const jobs = Array.from({ length: 12 }, (_, n) => ({ v: 1 as const, app: 'app_1', msg: `msg_${n}` }));
    await subject().jobs.send(jobs, 'app_1');
    const found = await takeAll('jobs', 12);
    expect(found.map(({ body }) => body).toSorted()).toEqual(jobs.map(job => JSON.stringify(job)).toSorted());
    expect(new Set(found.map(({ groupId }) => groupId))).toEqual(new Set(['app_1']));
  });
}
