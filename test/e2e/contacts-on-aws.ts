/**
 * A contact by mail on the local AWS: its link confirms, it is told that an endpoint fails, and its last link takes it away.
 * Hours are moved in the table, as time would have; the button of the page is pressed where there is a browser.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { createSesClient, sesMailer } from '#adapters/ses/ses-mailer.ts';
import type { AppId, EndpointId } from '#core/outbound/protocol/ids.ts';
import { contactsKey, contactsListed, runtimeKey } from '#core/outbound/protocol/keys.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time.ts';
import { environmentOf } from '#local/emulator/emulator.ts';
import { readMails, type SentMail } from '#local/follow/follow-mails.ts';
import type { LocalReceiver } from '#local/sample/receiver.ts';
import { outputOf } from '#local/stacks/gateway-address.ts';
import { askDelivery } from '#operator/delivery-api.ts';
import { BROWSER_PATH, openBrowser } from '#test/kit/browser.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { operatorAt } from './outbound-journey.ts';
import { SENDER } from './test-gateway.config.ts';

const APP = 'uid:told';
const TO = 'ops@customer.example';

export async function tellByMail(gateway: GatewayUnderTest, receiver: LocalReceiver): Promise<void> {
  const api = await (await operatorAt(gateway).gateway()).delivery();
  const ask = <T>(method: 'GET' | 'PUT' | 'POST', path: readonly string[], body?: object): Promise<T> =>
    askDelivery<T>(api, { method, path: ['apps', APP, ...path], ...(body && { body }) });
  const states = async (): Promise<readonly string[]> =>
    (await ask<{ data: { state: string }[] }>('GET', ['contacts'])).data.map(({ state }) => state);
  const { id: app } = await ask<{ id: AppId }>('PUT', [], { name: 'https://evil.example/Told' });
  const url = `${receiver.url}/500/told?token=secret`;
  const { id: ep } = await ask<{ id: EndpointId }>('POST', ['endpoints'], { url, schedule: [1] });

  // 1. Opening the link does nothing; its button does.
  await ask('POST', ['contacts'], { email: TO });
  const confirmation = await nextMail(gateway, 0);
  expect(confirmation).toMatchObject({
    from: SENDER,
    to: [TO],
    subject: 'Confirm this address for webhooks of End to end',
  });
  expect(confirmation.text).toContain('webhooks of evil[.]example/Told fail');
  const confirm = linkIn(confirmation, 'confirm');
  expect((await fetch(confirm)).status).toBe(200);
  expect(await states()).toEqual(['unconfirmed']);
  await press(confirm, 'Confirm', 'Confirmed. End to end tells you');
  expect(await states()).toEqual(['confirmed']);

  // 2. An endpoint that has failed for an hour is told of, once.
  // Of one message alone nobody knows whose fault it is.
  for (const key of ['one', 'two']) await ask('POST', ['messages'], { key, type: 'invoice.paid', data: {} });
  const since = await until(
    'the endpoint to fail',
    async () => (await item(gateway, runtimeKey(ep)))?.['failingSince'],
  );
  expect(since).toBeGreaterThan(Date.now() - HOUR_MS);
  await change(gateway, runtimeKey(ep), { failingSince: Date.now() - HOUR_MS - 2 * MINUTE_MS });
  await lookAnew(gateway, app, 10);
  const news = await nextMail(gateway, 1);
  expect(news.subject).toBe('Webhooks of evil[.]example/Told: 1 endpoint failing');
  expect(news.text).toContain('These endpoints have failed for an hour');
  expect(news.text).not.toContain('secret');
  await lookAnew(gateway, app, 0);
  expect(await readMails(gateway.aws)).toHaveLength(2);

  // 3. Whoever has the mail takes the address away.
  await press(linkIn(news, 'leave'), 'Stop the messages', 'This address is told nothing more.');
  expect(await states()).toEqual([]);
}

/** What SES refuses, by its documentation: nothing of it is kept, and our own client says that it was not sent. */
export async function refuseMails(gateway: GatewayUnderTest): Promise<void> {
  const { ses } = gateway.clients;
  const mailer = sesMailer(createSesClient(environmentOf(gateway.aws)), {
    from: 'nobody@unverified.example',
  });
  const sent = mailer.send({ to: TO, subject: 's', text: 't', leaveUrl: 'https://acme.example/' });
  await expect(sent).rejects.toMatchObject({
    message: expect.stringContaining('MessageRejected'),
    outcome: 'not_applied',
  });
  const Text = { Data: 't' };
  const send = (change: object, simple: object = {}) => {
    const Content = { Simple: { Subject: { Data: 's' }, Body: { Text }, ...simple } };
    const mail = { FromEmailAddress: SENDER, Destination: { ToAddresses: [TO] }, Content, ...change };
    return ses.send(new SendEmailCommand(mail)).then(
      () => 'taken',
      (error: Error) => error.name,
    );
  };
  const header = (Name: string, Value: string) => ({ Headers: [{ Name, Value }] });
  const to = (ToAddresses: readonly string[]) => ({ Destination: { ToAddresses: [...ToAddresses] } });
  const answers = {
    'no recipient': await send(to([])),
    '51 recipients': await send(to(Array.from({ length: 51 }, (_, n) => `n${n}@customer.example`))),
    'no domain': await send(to([TO, 'ops'])),
    'not ASCII': await send(to(['bücher@customer.example'])),
    'no charset': await send({}, { Body: { Text: { Data: 'ü' } } }),
    'no text': await send({}, { Body: {} }),
    'a long header': await send({}, header('List-Unsubscribe', 'x'.repeat(996))),
    'a header of two lines': await send({}, header('List-Unsubscribe', 'x\r\nBcc: y')),
    'an unknown set': await send({ ConfigurationSetName: 'nobody' }),
  };
  const { 'an unknown set': unknown, ...others } = answers;
  expect(unknown).toBe('NotFoundException');
  expect(new Set(Object.values(others)), JSON.stringify(answers)).toEqual(new Set(['BadRequestException']));
}

async function press(link: string, button: string, told: string): Promise<void> {
  if (BROWSER_PATH === undefined) {
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    return;
  }
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(link);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('status').filter({ hasText: told }).waitFor();
  } finally {
    await browser.close();
  }
}

const linkIn = ({ text }: SentMail, act: 'confirm' | 'leave'): string =>
  new RegExp(`^http\\S+\\?${act}=\\S+$`, 'm').exec(text)?.[0] ?? `no link: ${text}`;

/** After so many, by the function's own minute or by a run now. */
async function nextMail(gateway: GatewayUnderTest, after: number): Promise<SentMail> {
  return await until('a mail', async () => {
    await runContacts(gateway);
    return (await readMails(gateway.aws))[after];
  });
}

async function runContacts({ aws, stacks }: GatewayUnderTest): Promise<void> {
  const lambda = new LambdaClient({ endpoint: aws.endpoint, region: aws.region, credentials: aws.credentials });
  const { FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: outputOf(stacks, 'ContactsFunction') }),
  );
  expect(FunctionError).toBeUndefined();
}

/** As an hour after the last message; what happened within so many minutes before it is news, too. */
async function lookAnew(gateway: GatewayUnderTest, app: AppId, minutes: number): Promise<void> {
  const before = (await item(gateway, contactsKey(app))) as { contacts: { toldTo?: number }[] } | undefined;
  const [{ toldTo = 0, ...contact } = {}] = before?.contacts ?? [];
  const { notBefore: _, ...rest } = contact as { notBefore?: number };
  const contacts = [{ ...rest, toldTo: toldTo - minutes * MINUTE_MS }];
  await change(gateway, contactsKey(app), { contacts, ...contactsListed(app, Date.now() - 1) });
  await runContacts(gateway);
}

const tableOf = ({ clients, stacks }: GatewayUnderTest) =>
  [DynamoDBDocumentClient.from(clients.dynamo), outputOf(stacks, 'RegistryTable')] as const;

async function item(gateway: GatewayUnderTest, { pk, sk }: { pk: string; sk: string }) {
  const [client, TableName] = tableOf(gateway);
  return (await client.send(new GetCommand({ TableName, Key: { pk, sk }, ConsistentRead: true }))).Item;
}

async function change(gateway: GatewayUnderTest, key: { pk: string; sk: string }, fields: object): Promise<void> {
  const [client, TableName] = tableOf(gateway);
  await client.send(new PutCommand({ TableName, Item: { ...(await item(gateway, key)), ...fields } }));
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 60; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await wait(1_000);
  }
  throw new Error(`Waited for ${what} for a minute in vain`);
}
