/** Pause, resume, disable, enable or try an endpoint: a question before each. */
import { useState } from 'preact/hooks';
import { type AfterConfirm, Ask, Field } from '../../../ui/parts.tsx';
import { ask } from '../parts/api.ts';

export type Act = 'pause' | 'resume' | 'disable' | 'enable' | 'trial';

/** What helps an endpoint that is not well. */
export const HELPS: Readonly<Record<string, readonly [act: Act, word: string]>> = {
  holding: ['trial', 'Try now …'],
  paused: ['resume', 'Resume …'],
  disabled: ['enable', 'Enable …'],
};

const ABOUT: Readonly<Record<Act, readonly [title: string, about: string]>> = {
  pause: ['Pause this endpoint', 'Its webhooks wait until somebody resumes it. Nothing is lost.'],
  resume: ['Resume this endpoint', 'Its waiting webhooks are sent, oldest first.'],
  disable: ['Disable this endpoint', 'Its webhooks wait until somebody enables it. Tests are refused, too.'],
  enable: ['Enable this endpoint', 'One request tries it. If that works, the waiting webhooks are sent.'],
  trial: ['Try it now', 'Sends one request at once, although the endpoint is on hold.'],
};

interface GateProps {
  readonly act: Act;
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function Gate({ act, path, onClose, onDone }: GateProps) {
  const [why, setWhy] = useState('');
  const [title, about] = ABOUT[act];
  const submit = async (): Promise<AfterConfirm> => {
    await ask(`${path}/gate`, { body: { act, why } });
    onDone();
    return 'close';
  };
  return (
    <Ask
      title={title}
      confirm={title}
      onConfirm={submit}
      onClose={onClose}
      disabled={act !== 'trial' && why.trim() === ''}
    >
      <p>{about}</p>
      {act === 'trial' ? null : (
        <Field label="Why? Everybody who looks at it sees this" value={why} onInput={setWhy} autofocus />
      )}
    </Ask>
  );
}
