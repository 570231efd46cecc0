/**
 * Wiring of `otlp`, called by CloudWatch Logs with what the other functions printed. An error is tried again twice. Spans
 * go first: they come twice under the same ids, where numbers that come twice would count double.
 */
import { gunzipSync } from 'node:zlib';
import middy from '@middy/core';
import type { CloudWatchLogsDecodedData, CloudWatchLogsEvent } from 'aws-lambda';
import { jsonPoster } from '#adapters/http/post-json.ts';
import { oneInvocation } from '#adapters/lifetime.ts';
import { NoSecretValue, secretCredential } from '#adapters/secrets/secret-credential.ts';
import { otlpSecretName } from '#core/config/otlp-config.ts';
import { toOtlp } from '#core/inbound/watch/otlp.ts';
import { readOtlpHeaders } from '#core/inbound/watch/otlp-headers.ts';
import { VERSION } from '#core/version.ts';
import { config } from '#lambdas/shared/baked-config.ts';

const { otlp } = config;
const endpoint = new URL(otlp?.endpoint ?? 'https://nowhere.invalid');
const rules = { ports: [Number(endpoint.port) || 443], ownHosts: [] };
// The configuration takes plain http for this machine alone.
const allowAddresses = endpoint.protocol === 'http:' ? [endpoint.hostname] : [];
const post = jsonPoster({ ...rules, allowAddresses });
const credential = secretCredential(otlpSecretName(config));

export const handler = oneInvocation(
  middy(async ({ awslogs }: CloudWatchLogsEvent): Promise<void> => {
    const text = gunzipSync(Buffer.from(awslogs.data, 'base64')).toString('utf8');
    const { messageType, logGroup, logStream, logEvents } = JSON.parse(text) as CloudWatchLogsDecodedData;
    if (otlp === undefined || messageType !== 'DATA_MESSAGE') return;
    const bodies = toOtlp(logEvents, { ...config, version: VERSION, logGroup, logStream });
    const headers = await credential.get().then(readOtlpHeaders, (error: unknown) => {
      if (error instanceof NoSecretValue) return {};
      throw error;
    });
    for (const signal of ['traces', 'metrics'] as const) {
      const body = bodies[signal];
      if (body === undefined) continue;
      const { status } = await post(`${otlp.endpoint}/v1/${signal}`, JSON.stringify(body), headers);
      if (status < 200 || status > 299) throw new Error(`${endpoint.host} answered ${status} to ${signal}`);
    }
  }),
);
