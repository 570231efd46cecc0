import type { Plugin } from 'esbuild';

/**
 * Where `lambdas/process` finds its handlers: in the project that is bundled, which is not always the folder of this
 * code. `around` is asked first; what it imports by the same name is the project's.
 */
export function projectHandlers(file: string, around?: string): Plugin {
  return {
    name: 'project-handlers',
    setup(build) {
      build.onResolve({ filter: /^#handlers\/index\.ts$/ }, ({ importer }) => ({
        path: around === undefined || importer === around ? file : around,
      }));
    },
  };
}
