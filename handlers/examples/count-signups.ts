/** Example: the smallest useful handler. Signups per day, each counted once. */
import { done, type Handler, handlerEnv, reject } from 'holdfast';

interface SignupPayload {
  readonly data?: { readonly email?: unknown };
}

export const countSignup: Handler = async (event, context) => {
  const signup = (event.payload as SignupPayload | undefined)?.data;
  if (typeof signup?.email !== 'string') return reject('a signup without an e-mail address');
  const day = new Date(event.time).toISOString().slice(0, 10);
  context.transact([
    { kind: 'update', table: handlerEnv('SIGNUPS_TABLE'), key: { day }, add: { signups: 1 }, set: { last: event.id } },
  ]);
  return done({ actionTaken: 'counted' });
};
