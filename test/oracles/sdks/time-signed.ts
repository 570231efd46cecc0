/** SDKs of providers that sign a time with the body. */
import { createRequire } from 'node:module';
import { signRequest, verifyRequest } from '@contentful/node-apps-toolkit';
import { Environment, LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import { encodeSignatureHeader, isValidSignature } from '@sanity/webhook';
import OpenAI from 'openai';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { header, type Oracle, PUBLIC_URL, passes, text } from '../oracle.ts';

const require = createRequire(import.meta.url);
const { verifySlackRequest } = require('@slack/bolt/dist/receivers/verify-request.js');

const secrets = { secret: 'shared-secret-of-the-source', otherSecret: 'shared-secret-of-somebody-else' };
const standard = {
  secret: 'whsec_c2VjcmV0LW9mLXRoZS1zb3VyY2UtMTIzNDU2Nzg=',
  otherSecret: 'whsec_Zm9yZ2Vycy1vd24tc2VjcmV0LTEyMzQ1Njc4OTA=',
};
const CONTENTFUL = { secret: 'c'.repeat(64), otherSecret: 'd'.repeat(64) };

const stripe = new Stripe('sk_test_none');
const paddle = new Paddle('none', { environment: Environment.sandbox, logLevel: LogLevel.none });
const openai = new OpenAI({ apiKey: 'none', webhookSecret: standard.secret });

export const TIME_SIGNED: readonly Oracle[] = [
  {
    provider: 'stripe',
    sdk: 'stripe',
    call: 'webhooks.constructEvent()',
    ...secrets,
    accepts: request =>
      passes(() =>
        stripe.webhooks.constructEvent(Buffer.from(request.body), header(request, 'stripe-signature'), secrets.secret),
      ),
    sign: (payload, nowMs) => ({
      'stripe-signature': stripe.webhooks.generateTestHeaderString({
        payload,
        secret: secrets.secret,
        timestamp: Math.floor(nowMs / 1_000),
      }),
    }),
  },
  {
    provider: 'slack',
    sdk: '@slack/bolt',
    call: 'verifySlackRequest()',
    ...secrets,
    accepts: request =>
      passes(() =>
        verifySlackRequest({
          signingSecret: secrets.secret,
          body: text(request.body),
          headers: {
            'x-slack-signature': header(request, 'x-slack-signature'),
            // As the receivers of @slack/bolt read it.
            'x-slack-request-timestamp': Number(header(request, 'x-slack-request-timestamp')),
          },
        }),
      ),
  },
  {
    provider: 'standard-webhooks',
    sdk: 'standardwebhooks',
    call: 'Webhook.verify()',
    ...standard,
    accepts: request =>
      passes(() => new StandardWebhook(standard.secret).verify(Buffer.from(request.body), { ...request.headers })),
    sign: (body, nowMs) => ({
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
      'webhook-signature': new StandardWebhook(standard.secret).sign('msg_1', new Date(nowMs), body),
    }),
  },
  {
    provider: 'svix',
    sdk: 'svix',
    call: 'Webhook.verify()',
    ...standard,
    accepts: request =>
      passes(() => new SvixWebhook(standard.secret).verify(Buffer.from(request.body), { ...request.headers })),
    sign: (body, nowMs) => ({
      'svix-id': 'msg_1',
      'svix-timestamp': String(Math.floor(nowMs / 1_000)),
      'svix-signature': new SvixWebhook(standard.secret).sign('msg_1', new Date(nowMs), body),
    }),
  },
  {
    provider: 'openai',
    sdk: 'openai',
    call: 'webhooks.verifySignature()',
    ...standard,
    accepts: async request => {
      await openai.webhooks.verifySignature(text(request.body), { ...request.headers });
      return true;
    },
  },
  {
    provider: 'paddle',
    sdk: '@paddle/paddle-node-sdk',
    call: 'webhooks.isSignatureValid()',
    ...secrets,
    accepts: request =>
      paddle.webhooks.isSignatureValid(text(request.body), secrets.secret, header(request, 'paddle-signature')),
  },
  {
    provider: 'sanity',
    sdk: '@sanity/webhook',
    call: 'isValidSignature()',
    ...secrets,
    accepts: request =>
      isValidSignature(text(request.body), header(request, 'sanity-webhook-signature'), secrets.secret),
    sign: async (body, nowMs) => ({
      'sanity-webhook-signature': await encodeSignatureHeader(body, nowMs, secrets.secret),
    }),
  },
  {
    provider: 'contentful',
    sdk: '@contentful/node-apps-toolkit',
    call: 'verifyRequest()',
    ...CONTENTFUL,
    // Five minutes, as our spec has it: what is compared is the signature, not the two defaults.
    accepts: request =>
      verifyRequest(
        CONTENTFUL.secret,
        {
          method: 'POST',
          path: new URL(PUBLIC_URL).pathname,
          headers: { ...request.headers },
          body: text(request.body),
        },
        300,
      ),
    sign: (body, nowMs) => {
      const headers = { 'content-type': 'application/json' };
      const path = new URL(PUBLIC_URL).pathname;
      const signed = signRequest(CONTENTFUL.secret, { method: 'POST', path, headers, body }, nowMs);
      return Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), String(value)]));
    },
  },
];
