import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Loads Node's own modules through `process.getBuiltinModule`. An ESM `import … from "http"` makes Node read every export
 * of the module, and with them load all of undici: about 21 ms of each cold start (nodejs/node issue 59686). As a CommonJS
 * module its exports stay behind getters until they are used.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    setup(build) {
      build.onResolve({ filter: /^[a-z_:/]+$/ }, args =>
        isBuiltin(args.path) ? { path: args.path.replace(/^node:/, ''), namespace: 'builtin' } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'builtin' }, args => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${args.path}`)});`,
        loader: 'js',
      }));
    },
  };
}

/**
 * Replaces the SDK's credential chain (STS, SSO, IMDS and more clients, 130 KB) by the variables Lambda sets.
 */
export function environmentCredentials(): Plugin {
  return {
    name: 'environment-credentials',
    setup(build) {
      build.onResolve({ filter: /^@aws-sdk\/credential-provider-node$/ }, () => ({
        path: 'environment',
        namespace: 'credentials',
      }));
      build.onLoad({ filter: /.*/, namespace: 'credentials' }, () => ({
        contents: `
          export const defaultProvider = () => async () => {
            const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = process.env;
            if (!accessKeyId || !secretAccessKey) throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set: this bundle reads credentials from the environment only.');
            return { accessKeyId, secretAccessKey, sessionToken };
          };`,
        loader: 'js',
      }));
    },
  };
}
