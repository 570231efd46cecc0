/** The page of a link in a message to a contact: opening it does nothing, the button does. There is no token of a customer. */
import { useState } from 'preact/hooks';
import { Button, Trouble } from '../../../ui/parts.tsx';
import { type Problem, problemOf } from '../../../ui/problem.ts';
import { visible } from '../../../ui/text.tsx';
import { follow, type Link } from '../parts/api.ts';
import { producer } from '../parts/session.ts';

export function LinkPage({ link }: { readonly link: Link }) {
  const [done, setDone] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const submit = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await follow(link);
      setDone(true);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  const isConfirm = link.act === 'confirm';
  const name = visible(producer());
  return (
    <>
      <h1>{isConfirm ? 'Messages about failing webhooks' : 'No more messages'}</h1>
      {done ? (
        <p role="status">
          {isConfirm ? `Confirmed. ${name} tells you when webhooks fail.` : 'This address is told nothing more.'}
        </p>
      ) : (
        <>
          <p>
            {isConfirm
              ? `${name} is to tell you when webhooks fail. Is that right?`
              : `${name} is to tell this address nothing more when webhooks fail. Is that right?`}
          </p>
          <div class="actions">
            <Button
              word={isConfirm ? 'Confirm' : 'Stop the messages'}
              look="primary"
              disabled={busy}
              onClick={() => void submit()}
            />
          </div>
        </>
      )}
      {problem === undefined ? null : <Trouble of={problem} />}
    </>
  );
}
