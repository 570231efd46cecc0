/** Small parts that every page shares. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { stateWord } from '../core/words.ts';
import type { Loaded } from './load.ts';
import type { Problem } from './problem.ts';
import { shortUrl } from './short-url.ts';
import { visible } from './text.tsx';
import { Ago } from './time.tsx';

/** A word and a shape, not only a colour. */
const LOOKS: Readonly<Record<string, readonly [shape: string, look: string]>> = {
  completed: ['●', 'ok'],
  ignored: ['○', 'quiet'],
  rejected: ['○', 'quiet'],
  skipped_stale: ['○', 'quiet'],
  pending: ['◌', 'run'],
  processing: ['◐', 'run'],
  failed: ['▲', 'warn'],
  deferred: ['❚❚', 'warn'],
  dead_letter: ['✕', 'bad'],
  closed: ['○', 'quiet'],
  receiving: ['●', 'ok'],
  silent: ['○', 'quiet'],
  paused: ['❚❚', 'warn'],
  pairing: ['◌', 'run'],
  'no secret': ['▲', 'warn'],
  OK: ['●', 'ok'],
  ALARM: ['✕', 'bad'],
  'needs you': ['✕', 'bad'],
  notice: ['▲', 'warn'],
  INSUFFICIENT_DATA: ['○', 'quiet'],
  running: ['◐', 'run'],
  done: ['●', 'ok'],
  'failed attempt': ['▲', 'warn'],
  canceled: ['○', 'quiet'],
  dropped: ['○', 'quiet'],
  expired: ['○', 'quiet'],
  aborted: ['✕', 'bad'],
  dead: ['✕', 'bad'],
  retrying: ['▲', 'warn'],
  delivered: ['●', 'ok'],
  disabled: ['✕', 'bad'],
  holding: ['❚❚', 'warn'],
  failing: ['▲', 'warn'],
  untried: ['◌', 'quiet'],
  ok: ['●', 'ok'],
  confirmed: ['●', 'ok'],
  unconfirmed: ['◌', 'quiet'],
};

export function State({ of }: { readonly of: string }) {
  const [shape, look] = LOOKS[of] ?? ['◇', 'quiet'];
  return (
    <span class={`state ${look}`}>
      <span class="shape" aria-hidden="true">
        {shape}
      </span>
      {visible(stateWord(of))}
    </span>
  );
}

/** A URL that breaks at its slashes. Of a long one the middle goes: the host says whose it is, the end tells endpoints apart. */
export function Url({ of }: { readonly of: string }) {
  const parts = shortUrl(visible(of)).split(/(?<=[^/]\/)(?!\/)/);
  return (
    <bdi class="whole-url" title={visible(of)}>
      {parts.flatMap((part, n) => (n === 0 ? [part] : [<wbr key={n} />, part]))}
    </bdi>
  );
}

export function Trouble({ of, age }: { readonly of: Problem; readonly age?: number | undefined }) {
  return (
    <div class="trouble" role="alert">
      <strong>{visible(of.problem)}</strong>
      {of.fix === undefined ? null : <p>{visible(of.fix)}</p>}
      {age === undefined ? null : (
        <p class="faint">
          What is below is from <Ago at={age} />.
        </p>
      )}
    </div>
  );
}

/** The data where there is some, with what went wrong above it; else a word about what is going on. */
export function Shown<T>({ of, children }: { readonly of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, problem, loadedAt } = of;
  return (
    <>
      {problem === undefined ? null : <Trouble of={problem} age={data === undefined ? undefined : loadedAt} />}
      {data === undefined ? problem === undefined ? <p class="loading">Loading …</p> : null : children(data)}
    </>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'type' | 'class'> {
  /** What it says. */
  readonly word: string;
  readonly look?: string;
}

/** A button that does something at once, or asks first. */
export function Button({ word, look, ...rest }: ButtonProps) {
  return (
    <button type="button" class={look} {...rest}>
      {word}
    </button>
  );
}

export function Copy({
  text,
  label = 'Copy',
  what,
}: {
  readonly text: string | (() => Promise<string>);
  readonly label?: string;
  readonly what?: string;
}) {
  const [done, setDone] = useState<string>();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : await text());
      setDone('Copied');
    } catch (error) {
      setDone(error instanceof Error ? error.message.slice(0, 120) : 'Not copied');
    }
    setTimeout(() => setDone(undefined), 2_000);
  };
  return (
    <Button
      word={done ?? label}
      look="small"
      onClick={() => void copy()}
      aria-label={what === undefined ? undefined : `${label} ${what}`}
    />
  );
}

/** A command or an address to take along. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div class="command">
      <code>{visible(text)}</code>
      <Copy text={text} what={text.slice(0, 60)} />
    </div>
  );
}

export function Spark({
  values,
  bad,
  label,
}: {
  readonly values: readonly number[];
  readonly bad?: readonly number[];
  readonly label: string;
}) {
  const [width, height] = [values.length * 3, 28];
  const most = Math.max(1, ...values, ...(bad ?? []));
  /** All bars are one shape: a list of sources has hundreds of them. */
  const bars = (counts: readonly number[]): string =>
    counts
      .map((count, n) => {
        if (count === 0) return '';
        const tall = Math.max(2, (count / most) * (height - 2));
        return `M${n * 3} ${height}v${-tall}h2v${tall}z`;
      })
      .join('');
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
      <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} class="base" />
      <path d={bars(values)} />
      {bad === undefined ? null : <path class="bad" d={bars(bad)} />}
    </svg>
  );
}

interface AskProps {
  readonly title: string;
  readonly confirm: string;
  readonly danger?: boolean;
  /** Below all else, a text that the person writes. `fits`: it may be confirmed with this one. @default any but an empty one */
  readonly field?: Omit<FieldProps, 'value' | 'onInput'> & { readonly fits?: (text: string) => boolean };
  /** Runs when the person confirms, with the text of the field. What it throws is shown. */
  readonly onConfirm: (text: string) => Promise<unknown>;
  readonly onDone?: (() => void) | undefined;
  /** It shows an answer then. @default it closes */
  readonly stays?: boolean;
  /** @default 'Working …' */
  readonly working?: string;
  /** @default 'Cancel' */
  readonly cancel?: string;
  readonly onClose: () => void;
  readonly disabled?: boolean;
  readonly children?: ComponentChildren;
}

const isWritten = (text: string): boolean => text.trim() !== '';

/** A question before something is changed. Escape closes it. */
export function Ask(props: AskProps) {
  const { title, confirm, danger, field, onConfirm, onDone, stays, onClose, disabled, children } = props;
  const { working = 'Working …', cancel = 'Cancel' } = props;
  const [text, setText] = useState('');
  const ref = useRef<HTMLDialogElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => (before as HTMLElement | null)?.focus();
  }, []);
  const fits = field === undefined || (field.fits ?? isWritten)(text);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await onConfirm(text);
      onDone?.();
      if (!stays) return onClose();
    } catch (error) {
      setProblem(
        error instanceof Error && 'problem' in error ? (error.problem as Problem) : { problem: String(error) },
      );
    }
    setBusy(false);
  };
  return (
    <dialog ref={ref} onClose={onClose} aria-labelledby="ask-title">
      <form onSubmit={event => void submit(event)}>
        <h2 id="ask-title">{title}</h2>
        {children}
        {field === undefined ? null : <Field {...field} value={text} onInput={setText} />}
        {problem === undefined ? null : <Trouble of={problem} />}
        <div class="actions">
          <Button word={cancel} onClick={() => ref.current?.close()} />
          <button type="submit" class={danger ? 'danger' : 'primary'} disabled={busy || disabled || !fits}>
            {busy ? working : confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string;
  readonly placeholder?: string;
  readonly autofocus?: boolean;
  /** To choose from; another text may be written. */
  readonly options?: readonly string[];
}

export function Field({ label, value, onInput, hint, placeholder, autofocus, options }: FieldProps) {
  const list = useId();
  return (
    <label class="field">
      <span>{label}</span>
      <input
        value={value}
        placeholder={placeholder}
        onInput={event => onInput(event.currentTarget.value)}
        autofocus={autofocus}
        list={options === undefined ? undefined : list}
      />
      {options === undefined ? null : (
        <datalist id={list}>
          {options.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {hint === undefined ? null : <small class="faint">{hint}</small>}
    </label>
  );
}
