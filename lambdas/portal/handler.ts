/** Wiring of `portal`: the page and the API of a customer, who brings a token and no AWS credential. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { guardHeaders, portalPage } from '#core/outbound/portal/portal-page.ts';
import { outboundApi, rulesOf } from '#lambdas/shared/outbound-api.ts';
import { outbound } from '#lambdas/shared/outbound-config.ts';
import { readEnv } from '#lambdas/shared/read-env.ts';
import { serve } from '#lambdas/shared/serve.ts';
import { PAGE_FILES, portalEnv } from './env.ts';
import { handlePortalCall } from './handle-portal-call.ts';

const { portal } = outbound;
if (portal === undefined) throw new Error('outbound has no portal in gateway.config.ts: deploy it again');
const { ports, telemetry, refresh } = await outboundApi(readEnv(portalEnv));
const textOf = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');
const texts = { script: textOf(PAGE_FILES.script), style: textOf(PAGE_FILES.style) };

const tools = { ports, rulesOf, page: portalPage(portal, texts, nodeCrypto), headers: guardHeaders(portal) };
export const handler = serve(handlePortalCall(tools), { telemetry, inner: refresh });
