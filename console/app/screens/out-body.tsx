/** The body of a message, read when somebody asks for it. */
import { useState } from 'preact/hooks';
import { JsonTree } from '../../../ui/json-tree.tsx';
import { Copy, Shown } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { useLoad } from '../parts/load.ts';
import { session } from '../parts/session.ts';

const SHOWN = 200_000;

export function Body({ path }: { readonly path: string }) {
  const [asked, setAsked] = useState(session().environment === 'local');
  const view = useLoad<{ size: number; text: string }>(asked ? path : undefined);
  if (!asked)
    return (
      <p>
        <button type="button" onClick={() => setAsked(true)}>
          Show the body
        </button>{' '}
        <span class="faint">Bodies may hold what only some people should see.</span>
      </p>
    );
  return (
    <Shown of={view}>
      {({ size, text }) => (
        <>
          <p class="faint">
            {size.toLocaleString('en')} bytes <Copy text={text} label="Copy body" />
          </p>
          <Text text={text} />
        </>
      )}
    </Shown>
  );
}

/** JSON as a tree, anything else as text. */
export function Text({ text }: { readonly text: string }) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Shown as it is.
  }
  if (typeof value === 'object' && value !== null) return <JsonTree value={value} search="" />;
  return <pre class="raw">{visible(text.slice(0, SHOWN))}</pre>;
}
