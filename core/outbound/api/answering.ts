/** What becomes of errors of a call. */
import type { Telemetry } from '#core/ports.ts';
import { answerOrRefuse } from '#core/problem-reply.ts';
import type { Reply } from '#core/reply.ts';

export const answering = (
  route: string,
  { telemetry }: { readonly telemetry: Pick<Telemetry, 'count' | 'log'> },
  work: () => Promise<Reply>,
): Promise<Reply> => {
  const again = 'send the request again; repeating a request does no harm';
  return answerOrRefuse({ telemetry, stage: 'delivery-api', fields: { route } }, again, work);
};
