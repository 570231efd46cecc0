/** The handlers of the fixture project, and one that asks for the credential of its provider's API first. */
import { defineHandlers, type Handler, handlerEnv, PermanentError, secretCredential } from 'holdfast';
import { handlers as ours } from '#handlers/index.ts';
import { API_CREDENTIAL } from './secrets.ts';

const credential = secretCredential(handlerEnv('API_SECRET_DEFAULT'));
const takePayment = ours.registrations?.find(it => it.source === 'default')?.handle;

const takeWithCredential: Handler = async (event, context) => {
  if ((await credential.get()) !== API_CREDENTIAL || takePayment === undefined)
    throw new PermanentError('this is not the credential of the source');
  return takePayment(event, context);
};

export const handlers = defineHandlers([
  ...(ours.registrations ?? []),
  { source: 'default', type: 'credential.asked', handle: takeWithCredential },
]);
