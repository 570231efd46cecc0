/**
 * Sources that are read with their first request. An environment with dozens of providers would make every cold start
 * parse all of their specs, for a request to one of them: there, each source is a file beside the code (lib/bundling).
 */
import { readFileSync } from 'node:fs';
import type { ResolvedSource } from '#core/config/resolved-config.ts';
import { isWhole, type SourceHead } from '#core/config/source-head.ts';

/** The source itself, or one that reads its file when more than its head is asked for. */
export function sourceOf(baked: ResolvedSource | SourceHead, folder: URL): ResolvedSource {
  if (isWhole(baked)) return baked;
  let read: ResolvedSource | undefined;
  const whole = (): ResolvedSource => {
    read ??= JSON.parse(readFileSync(new URL(baked.file, folder), 'utf8')) as ResolvedSource;
    return read;
  };
  return new Proxy(baked as SourceHead & ResolvedSource, {
    get: (head, name) => Reflect.get(name in head ? head : whole(), name) as unknown,
    ownKeys: () => Reflect.ownKeys({ ...whole(), ...baked }),
    getOwnPropertyDescriptor: (head, name) => Reflect.getOwnPropertyDescriptor({ ...whole(), ...head }, name),
  });
}
