/** Of an endpoint that is read: where to ask, and how to say what arrived. */
import { Copy } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { addressOf } from '../parts/api.ts';
import { pathOf, producer } from '../parts/session.ts';

export function Read({ ep }: { readonly ep: string }) {
  const address = addressOf(pathOf('endpoints', ep));
  const code = `# 1. What waits, the oldest first
curl -H "Authorization: Bearer $TOKEN" \\
  "${address}/messages"
# 2. When you have handled "data": the "cursor" of that answer
curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"cursor":"…"}' "${address}/ack"
`;
  return (
    <>
      <p>
        Nothing is sent. Your program asks this address, handles what it gets, and then acknowledges it with the cursor
        of the answer. What is not acknowledged is given again. Before you ask again, wait the{' '}
        <code>next_poll_seconds</code> of the answer.
      </p>
      <p>
        Get the token from {visible(producer())}, with the capabilities <code>read_bodies</code> and <code>ack</code>.
      </p>
      <div class="code">
        <pre tabIndex={0}>{code}</pre>
        <Copy text={code} what="the commands" />
      </div>
    </>
  );
}
