import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SigningScope {
  readonly region: string;
  /** e.g. `dynamodb`. */
  readonly service: string;
}

/** The last signing key of each service: it is the same for a day, a region and a secret. */
const lastKeys = new Map<string, { readonly name: string; readonly key: KeyObject }>();

/**
 * The `authorization` header of a POST to `/` by Signature Version 4
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html). All `headers` given are signed: lower-case
 * names, values without outer or doubled blanks, `x-amz-date` among them (`20261122T042700Z`). `line` is the beginning of
 * the canonical request (method, path, query) of another call.
 */
export function signPost(
  headers: Readonly<Record<string, string>>,
  body: string,
  { accessKeyId, secretAccessKey }: Credentials,
  { region, service }: SigningScope,
  line = 'POST\n/\n',
): string {
  const names = Object.keys(headers).sort();
  const signedHeaders = names.join(';');
  const canonical = `${line}\n${names.map(name => `${name}:${headers[name]}\n`).join('')}\n${signedHeaders}\n${sha256(body)}`;
  const time = headers['x-amz-date'] ?? '';
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = signingKey(secretAccessKey, day, region, service);
  const signature = createHmac('sha256', key)
    .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`)
    .digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

function signingKey(secret: string, day: string, region: string, service: string): KeyObject {
  const name = [secret, day, region].join('\n');
  const last = lastKeys.get(service);
  if (last?.name === name) return last.key;
  const bytes = [day, region, service, 'aws4_request'].reduce(
    (parent: string | Buffer, part) => createHmac('sha256', parent).update(part).digest(),
    `AWS4${secret}`,
  );
  const key = createSecretKey(bytes as Buffer);
  lastKeys.set(service, { name, key });
  return key;
}

function sha256(text: string): string {
  return hash('sha256', text);
}
