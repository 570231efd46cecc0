import type { ResolvedSource } from './resolved-config.ts';

/** What a function knows of a source at its start where it reads the rest with the first request. */
export interface SourceHead extends Pick<ResolvedSource, 'id' | 'paths'> {
  /** Name of the file with the whole source, beside the code. */
  readonly file: string;
}

/** False while only its head is known. */
export function isWhole(source: ResolvedSource | SourceHead): source is ResolvedSource {
  return !('file' in source);
}
