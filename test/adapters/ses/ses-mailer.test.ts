/** The one mailer: what SES is asked, and what each of its answers says of the mail. */
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSesClient, sesMailer } from '#adapters/ses/ses-mailer.ts';

const MAIL = {
  to: 'ops@customer.com',
  subject: 'Sübject',
  text: 'Text',
  leaveUrl: 'https://api.acme.com/portal?leave=x',
};
const asked: { readonly path: string; readonly body: unknown }[] = [];
let answer: readonly [status: number, error: string | undefined] = [200, undefined];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  asked.push({ path: `${request.method} ${request.url}`, body: JSON.parse(Buffer.concat(chunks).toString()) });
  const [status, error] = answer;
  if (status === 0) {
    request.socket.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json', ...(error && { 'x-amzn-errortype': error }) });
  response.end(JSON.stringify(error ? { message: `not verified: ${MAIL.to}` } : { MessageId: 'm' }));
});
let mailer: ReturnType<typeof sesMailer>;
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };
  const client = createSesClient({ ...env, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` });
  mailer = sesMailer(client, { from: 'alerts@acme.com', configurationSet: 'contacts' });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('asks for one mail of plain text, from the one sender, with the header that takes the address away', async () => {
  await mailer.send(MAIL);
  expect(asked).toEqual([
    {
      path: 'POST /v2/email/outbound-emails',
      body: {
        FromEmailAddress: 'alerts@acme.com',
        ConfigurationSetName: 'contacts',
        Destination: { ToAddresses: ['ops@customer.com'] },
        Content: {
          Simple: {
            Subject: { Data: 'Sübject', Charset: 'UTF-8' },
            Body: { Text: { Data: 'Text', Charset: 'UTF-8' } },
            Headers: [
              { Name: 'List-Unsubscribe', Value: '<https://api.acme.com/portal?leave=x>' },
              { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
            ],
          },
        },
      },
    },
  ]);
});

it.each([
  [400, 'MessageRejected', 'not_applied'],
  [429, 'TooManyRequestsException', 'not_applied'],
  [403, 'AccessDeniedException', 'not_applied'],
  [500, 'InternalServiceErrorException', 'unknown'],
  [0, undefined, 'unknown'],
] as const)('of %i %s it says %s, once, and never the address', async (status, error, outcome) => {
  answer = [status, error];
  asked.length = 0;
  const failed = await mailer.send(MAIL).catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({ name: 'DependencyError', dependency: 'ses', outcome });
  expect(String(failed)).not.toContain('customer.com');
  expect(asked).toHaveLength(1);
});
