/** Pause, resume, disable, enable or try an endpoint: a question before each. */
import { useState } from 'preact/hooks';
import { GATE_WORDS, type GateAct, hasReason, REASON_ASKED } from '../../../ui/gate.ts';
import { type AfterConfirm, Ask, Field } from '../../../ui/parts.tsx';
import { ask } from '../parts/api.ts';

export type Act = Exclude<GateAct, 'delete'>;

/** What helps an endpoint that is not well. */
export const HELPS: Readonly<Record<string, Act>> = { holding: 'trial', paused: 'resume', disabled: 'enable' };

interface GateProps {
  readonly act: Act;
  readonly path: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function Gate({ act, path, onClose, onDone }: GateProps) {
  const [why, setWhy] = useState('');
  const [title, confirm, told] = GATE_WORDS[act];
  const submit = async (): Promise<AfterConfirm> => {
    await ask(`${path}/gate`, { body: { act, why } });
    onDone();
    return 'close';
  };
  return (
    <Ask
      title={title}
      confirm={confirm}
      onConfirm={submit}
      onClose={onClose}
      disabled={hasReason(act) && why.trim() === ''}
    >
      <p>{told}</p>
      {hasReason(act) ? <Field label={REASON_ASKED} value={why} onInput={setWhy} autofocus /> : null}
    </Ask>
  );
}
