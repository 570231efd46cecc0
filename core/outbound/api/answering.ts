/** What becomes of errors of a call. */
import { ask } from '#core/ask.ts';
import type { Telemetry } from '#core/ports.ts';
import type { Reply } from '#core/reply.ts';
import { problem, Refused } from './problem-reply.ts';

/** A refusal is an answer; a dependency that fails is a 503, to be asked again. */
export async function answering(
  route: string,
  { telemetry }: { readonly telemetry: Pick<Telemetry, 'count' | 'log'> },
  work: () => Promise<Reply>,
): Promise<Reply> {
  try {
    const asked = await ask({ telemetry, stage: 'delivery-api', fields: { route } }, work);
    if (asked.ok) return asked.value;
    return problem(
      503,
      'not_recorded',
      `${asked.error.dependency} did not answer in time: send the request again; repeating a request does no harm`,
    );
  } catch (error) {
    if (error instanceof Refused) return error.reply;
    throw error;
  }
}

/** For a route that none of our functions knows. */
export const unknownRoute = (key: string): Reply =>
  problem(404, 'unknown_route', `no route ${key}; the routes are in docs/api/delivery.md`);
