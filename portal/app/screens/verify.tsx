/** How a server verifies a request, in the reader's language, with the name under which it keeps the secret. */
import { useState } from 'preact/hooks';
import { Copy, Field } from '../../../ui/parts.tsx';
import { producer } from '../parts/session.ts';
import { LANGUAGES, type Language, verifiedBy, verifyCode } from '../verify-code.ts';
import type { Endpoint } from '../wire.ts';

/** `ACME_WEBHOOK_SECRET`: the name, never the value. */
function secretName(): string {
  const name = producer()
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^[A-Z]/.test(name) ? `${name}_WEBHOOK_SECRET` : 'WEBHOOK_SECRET';
}

export function Verify({ endpoint }: { readonly endpoint: Endpoint }) {
  const [language, setLanguage] = useState<Language>('Node.js');
  const [name, setName] = useState(secretName);
  const { form: known, hasPair } = verifiedBy(endpoint);
  const header = endpoint.signature_header;
  const pair = hasPair ? (
    <p>
      Requests are signed with a key pair (Standard Webhooks, v1a): verify with the public key, whpk_…, and a library
      from standardwebhooks.com that knows v1a.
    </p>
  ) : null;
  if (known === undefined) return pair;
  const form = header === null ? known : { ...known, header };
  const env = /^\w+$/.test(name) ? name : 'WEBHOOK_SECRET';
  const code = verifyCode(language, form, env);
  return (
    <>
      {pair}
      {hasPair ? <p>Until the rotation is over they are also signed with the shared secret, whsec_…:</p> : null}
      <p>
        Verify every request before you use it: check its signature over its exact bytes
        {form.time === undefined ? '' : ', and that it is at most five minutes old'}. Then answer 2xx within 5 seconds,
        and ignore a request whose <code>webhook-id</code> you have already seen.
      </p>
      <div class="filters">
        <label>
          <span>Language</span>
          <select value={language} onChange={event => setLanguage(event.currentTarget.value as Language)}>
            {LANGUAGES.map(each => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <Field label="Your server keeps the secret in" value={name} onInput={setName} />
      </div>
      <div class="code">
        <pre tabIndex={0}>{code}</pre>
        <Copy text={code} what="the code" />
      </div>
    </>
  );
}
