/** SDKs of providers that sign the body alone. */
import '@shopify/shopify-api/adapters/node';
import { createRequire } from 'node:module';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import notion from '@notionhq/client';
import { sign as githubSign, verify as githubVerify } from '@octokit/webhooks-methods';
import { shopifyApi } from '@shopify/shopify-api';
import coinbase from 'coinbase-commerce-node';
import Razorpay from 'razorpay';
import { header, type Oracle, passes, text } from '../oracle.ts';

const require = createRequire(import.meta.url);
const { default: AdyenHmacValidator } = require('@adyen/api-library/lib/src/utils/hmacValidator.js');

const secrets = { secret: 'shared-secret-of-the-source', otherSecret: 'shared-secret-of-somebody-else' };
const HEX = {
  secret: '44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056',
  otherSecret: 'ab12'.repeat(16),
};

const shopify = shopifyApi({
  apiKey: 'key',
  apiSecretKey: secrets.secret,
  hostName: 'hooks.example.com',
  apiVersion: '2026-10' as never,
  isEmbeddedApp: false,
  logger: { level: 0 },
});
const linear = new LinearWebhookClient(secrets.secret);

export const BODY_SIGNED: readonly Oracle[] = [
  {
    provider: 'github',
    sdk: '@octokit/webhooks-methods',
    call: 'verify()',
    ...secrets,
    accepts: request => githubVerify(secrets.secret, text(request.body), header(request, 'x-hub-signature-256')),
    sign: async body => ({ 'x-hub-signature-256': await githubSign(secrets.secret, body) }),
  },
  {
    provider: 'razorpay',
    sdk: 'razorpay',
    call: 'Razorpay.validateWebhookSignature()',
    ...secrets,
    accepts: request =>
      Razorpay.validateWebhookSignature(text(request.body), header(request, 'x-razorpay-signature'), secrets.secret),
  },
  {
    provider: 'coinbase-commerce',
    sdk: 'coinbase-commerce-node',
    call: 'Webhook.verifySigHeader()',
    ...secrets,
    accepts: request =>
      coinbase.Webhook.verifySigHeader(text(request.body), header(request, 'x-cc-webhook-signature'), secrets.secret),
  },
  {
    provider: 'notion',
    sdk: '@notionhq/client',
    call: 'verifyWebhookSignature()',
    ...secrets,
    accepts: request =>
      notion.verifyWebhookSignature({
        body: request.body,
        signature: request.headers['x-notion-signature'] ?? null,
        verificationToken: secrets.secret,
      }),
    sign: async body => ({
      'x-notion-signature': await notion.signWebhookPayload({ body, verificationToken: secrets.secret }),
    }),
  },
  {
    provider: 'linear',
    sdk: '@linear/sdk',
    call: 'LinearWebhookClient.parseData()',
    ...secrets,
    anyBody: false,
    accepts: request => passes(() => linear.parseData(Buffer.from(request.body), header(request, 'linear-signature'))),
  },
  {
    provider: 'shopify',
    sdk: '@shopify/shopify-api',
    call: 'webhooks.validate()',
    ...secrets,
    headers: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'shop.myshopify.com',
      'x-shopify-api-version': '2026-10',
      'x-shopify-webhook-id': 'b1',
    },
    accepts: async request => {
      const rawRequest = { method: 'POST', url: '/', headers: request.headers };
      const validated = shopify.webhooks.validate({ rawBody: text(request.body), rawRequest: rawRequest as never });
      return (await validated).valid;
    },
  },
  {
    provider: 'adyen-platforms',
    sdk: '@adyen/api-library',
    call: 'HmacValidator.validateHMACSignature()',
    ...HEX,
    accepts: request =>
      new AdyenHmacValidator().validateHMACSignature(HEX.secret, header(request, 'hmacsignature'), text(request.body)),
  },
];
