import type { ProviderSpec } from 'holdfast';

export const salesforce: ProviderSpec = {
  id: 'salesforce',
  title: 'Salesforce outbound messages',
  docs: 'https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging.htm',
  checkedOn: '2026-11-23',
  source: 'developer.salesforce.com, sforce_api_om_outboundmessaging_notifications and _wsdl.',
  unconfirmed: ['deadline', 'same notifications in the same order on retries'],
  verify: [{ alg: 'token', sig: { from: 'query:token' } }],
  identity: {
    document: { from: 'body', format: 'xml' },
    // SessionId and the order of attempts may change; the ids of the notifications do not.
    key: [
      ['doc:Envelope.Body.notifications.OrganizationId', 'doc:Envelope.Body.notifications.Notification[].Id'],
      ['hash:body'],
    ],
    type: ['doc:Envelope.Body.notifications.ActionId'],
  },
  ack: {
    status: 200,
    contentType: 'text/xml',
    body: '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><notificationsResponse xmlns="http://soap.sforce.com/2005/09/outbound"><Ack>true</Ack></notificationsResponse></soapenv:Body></soapenv:Envelope>',
    rejectStatus: 401,
    deadlineMs: 10_000,
  },
  retries: 'For 24 hours with growing waits of up to two hours, until the SOAP acknowledgement.',
  setup:
    "Salesforce Setup, Workflow Actions, Outbound Messages: this URL with ?token= and a random token you choose, which is the secret. Add Salesforce's published addresses to the allow list. A request holds up to 100 notifications: it is one event, in XML.",
};
