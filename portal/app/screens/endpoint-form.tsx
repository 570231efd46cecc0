/** What a customer decides about an endpoint: whether we send or they read, where, which types, headers. */
import { useState } from 'preact/hooks';
import { Ask, Button, Field } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.tsx';
import { useAsk } from '../parts/api.ts';
import type { Endpoint, EventType, Page } from '../wire.ts';

interface FormProps {
  readonly title: string;
  readonly confirm: string;
  /** Absent: a new one. */
  readonly endpoint?: Endpoint;
  readonly onSubmit: (fields: object) => Promise<void>;
  readonly onClose: () => void;
}

export function EndpointForm({ title, confirm, endpoint, onSubmit, onClose }: FormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [isRead, setRead] = useState(endpoint?.url === null);
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [types, setTypes] = useState(endpoint?.types.join(' ') ?? '');
  const names = Object.keys(endpoint?.headers ?? {});
  const [replacing, setReplacing] = useState(!isRead && names.length === 0);
  const [headers, setHeaders] = useState('');
  const submit = (): Promise<void> => {
    const given = headersIn(headers);
    return onSubmit({
      ...(!isRead ? { url: url.trim() } : endpoint === undefined ? { kind: 'pull' } : {}),
      ...{ description, types: types.split(/[\s,]+/).filter(each => each !== '') },
      ...(replacing && !isRead && (endpoint !== undefined || headers.trim() !== '') ? { headers: given } : {}),
      ...(endpoint === undefined ? {} : { if_version: endpoint.version }),
    });
  };
  return (
    <Ask title={title} confirm={confirm} onConfirm={submit} onClose={onClose} disabled={!isRead && url.trim() === ''}>
      {endpoint === undefined ? <Kind isRead={isRead} choose={setRead} /> : null}
      {isRead ? null : (
        <Field label="URL" value={url} onInput={setUrl} placeholder="https://hooks.example.com/in" autofocus />
      )}
      <Field label="Description" value={description} onInput={setDescription} />
      <Field
        label="Event types"
        value={types}
        onInput={setTypes}
        hint="Names with spaces between them. invoice.* means all that begin with invoice. Leave it empty for every type."
      />
      <KnownTypes chosen={types} choose={setTypes} />
      {isRead ? null : replacing ? (
        <label class="field">
          <span>Headers of your own</span>
          <textarea rows={3} value={headers} onInput={event => setHeaders(event.currentTarget.value)} />
          <small class="faint">One on each line, as name: value. Nobody can see the values afterwards.</small>
        </label>
      ) : (
        <p>
          Headers: {visible(names.join(', '))} (values are not shown){' '}
          <Button word="Replace them" look="small" onClick={() => setReplacing(true)} />
        </p>
      )}
    </Ask>
  );
}

function headersIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const pairs = lines.map(line => {
    const at = line.indexOf(':');
    return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

const SHOWN = 12;

function Kind({ isRead, choose }: { readonly isRead: boolean; readonly choose: (isRead: boolean) => void }) {
  const option = (value: boolean, words: string) => (
    <label>
      <input type="radio" name="kind" checked={isRead === value} onChange={() => choose(value)} /> {words}
    </label>
  );
  return (
    <fieldset class="choices">
      <legend>How messages come</legend>
      {option(false, 'We send them to an address')}
      {option(true, 'Your program reads them')}
    </fieldset>
  );
}

/** Types of the catalogue to choose from by a click. */
function KnownTypes({ chosen, choose }: { readonly chosen: string; readonly choose: (types: string) => void }) {
  const view = useAsk<Page<EventType>>('/event-types?limit=250');
  const there = chosen.split(/[\s,]+/);
  const open = (view.data?.data ?? []).filter(({ name, deprecated }) => !deprecated && !there.includes(name));
  if (open.length === 0) return null;
  return (
    <p class="chips">
      {open.slice(0, SHOWN).map(({ name }) => (
        <Button
          word={`+ ${visible(name)}`}
          look="small"
          key={name}
          onClick={() => choose(`${chosen} ${name}`.trim())}
        />
      ))}
    </p>
  );
}
