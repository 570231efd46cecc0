import type { ProviderSpec } from 'holdfast';

export const salesforce: ProviderSpec = {
  id: 'salesforce',
  title: 'Salesforce outbound messages',
  docs: 'https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging.htm',
  checkedOn: '2026-11-23',
  source:
    "developer.salesforce.com, sforce_api_om_outboundmessaging_notifications and _wsdl (Salesforce's own documentation): the members of a message, up to 100 notifications, told again by their ids; 24 hours, at most two between tries.",
  unconfirmed: ['The deadline of an answer.', 'That a repeated message has the same notifications in the same order.'],
  strength: 'shared-secret',
  verify: [{ id: 'salesforce', alg: 'token', sig: { from: 'query:token' } }],
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
  handshakes: [],
  methods: ['POST'],
  signatureHeaders: [],
  retries:
    'For 24 hours with growing waits, up to two hours. Anything but the acknowledgement in SOAP counts as a failure.',
  setup:
    'Salesforce Setup, Workflow Actions, Outbound Messages: this URL with ?token= and a random token of your own making, which is the secret of the source. Salesforce signs nothing; add its published addresses to the allow list. One request may hold up to 100 notifications: it is one event, in XML.',
};
