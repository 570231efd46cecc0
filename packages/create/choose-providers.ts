/** Which providers a new project receives from: ids as a person types them. */
import type { ProviderSample } from './project-files.ts';

/**
 * Of ids separated by commas or spaces; none: `generic`. A text says which one is unknown, and what is near it.
 * @param program How a person begins a command in the project: `npm run holdfast --`.
 */
export function chosenProviders(
  typed: string,
  samples: readonly ProviderSample[],
  program: string,
): readonly ProviderSample[] | string {
  const ids = [...new Set(typed.split(/[,\s]+/).filter(Boolean))];
  const chosen: ProviderSample[] = [];
  for (const id of ids.length > 0 ? ids : ['generic']) {
    const found = samples.find(each => each.id === id);
    if (found === undefined) return `There is no provider "${id.slice(0, 40)}". ${hintFor(id, samples, program)}`;
    chosen.push(found);
  }
  return chosen;
}

function hintFor(id: string, samples: readonly ProviderSample[], program: string): string {
  const near = samples.filter(each => each.id.startsWith(id.slice(0, 3))).map(each => each.id);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  return `There are: ${samples.map(it => it.id).join(', ')}. Leave out one that is not there: in the project, ${program} sources new <id> describes it.`;
}

/** Asks until each id is known. */
export async function askForProviders(
  samples: readonly ProviderSample[],
  question: (text: string) => Promise<string>,
  say: (text: string) => void,
  program: string,
): Promise<readonly ProviderSample[]> {
  while (true) {
    const typed = await question('Who sends you webhooks? (e.g. stripe, github; Enter for senders of your own) ');
    const chosen = chosenProviders(typed, samples, program);
    if (typeof chosen !== 'string') return chosen;
    say(chosen);
  }
}
