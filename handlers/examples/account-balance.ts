/** Example: the version is a sequence number with more digits than a JavaScript number holds. */
import { exactNumber, type Handler, handlerEnv, latestWins, longSequenceVersion, PermanentError } from 'holdfast';

export const keepBalance: Handler = async (event, context) => {
  if (event.subject === undefined) throw new PermanentError('the event does not say which account it is about');
  return latestWins(event, context, {
    entity: { table: handlerEnv('BALANCES_TABLE'), key: { id: event.subject } },
    version: longSequenceVersion(exactNumber(event, 'data.object.sequence')),
    state: { cents: exactNumber(event, 'data.object.cents') },
  });
};
