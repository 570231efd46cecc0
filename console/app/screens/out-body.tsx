/** The body of a message, read when somebody asks for it. */

import { useState } from 'preact/hooks';
import { Text } from '../../../ui/exchange.tsx';
import { grouped } from '../../../ui/grouped.ts';
import { Button, Copy, Shown } from '../../../ui/parts.tsx';
import { useLoad } from '../parts/load.ts';
import { session } from '../parts/session.ts';

export function Body({ path }: { readonly path: string }) {
  const [asked, setAsked] = useState(session().environment === 'local');
  const view = useLoad<{ size: number; text: string }>(asked ? path : undefined);
  if (!asked)
    return (
      <p>
        <Button word="Show the body" onClick={() => setAsked(true)} />{' '}
        <span class="faint">A body may hold data that only some people should see.</span>
      </p>
    );
  return (
    <Shown of={view}>
      {({ size, text }) => (
        <>
          <p class="faint">
            {grouped(size)} bytes <Copy text={text} label="Copy body" />
          </p>
          <Text text={text} />
        </>
      )}
    </Shown>
  );
}
