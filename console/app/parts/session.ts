/** Who looks at what, known after the first answer of the server. */
import type { Hello } from '../../wire.ts';

let known: Hello | undefined;

export function setSession(hello: Hello): void {
  known = hello;
}

/** Only inside a screen: those are shown once it is known. */
export function session(): Hello {
  if (known === undefined) throw new Error('asked before the server said hello');
  return known;
}

/** The command for the terminal that does the same. */
export function commandOf(text: string): string {
  const { program, environment } = session();
  return `${program} ${text}${environment === 'local' ? '' : ` --env ${environment}`}`;
}
