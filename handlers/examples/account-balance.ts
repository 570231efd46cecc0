/** Example: the version is a sequence number with more digits than a JavaScript number holds. */
import { type Handler, PermanentError } from '#core/handler/handler-contract.ts';
import { exactNumber } from '#core/handler/ordering/exact-number.ts';
import { latestWins } from '#core/handler/ordering/latest-wins.ts';
import { longSequenceVersion } from '#core/handler/ordering/version.ts';
import { handlerEnv } from '../handler-env.ts';

export const keepBalance: Handler = async (event, context) => {
  if (event.subject === undefined) throw new PermanentError('the event does not say which account it is about');
  return latestWins(event, context, {
    entity: { table: handlerEnv('BALANCES_TABLE'), key: { id: event.subject } },
    version: longSequenceVersion(exactNumber(event, 'data.object.sequence')),
    state: { cents: exactNumber(event, 'data.object.cents') },
  });
};
