/** The program that runs a bundle: `run-function.ts <folder> <file.export> <clock's lead in ms>`, then events by message. */
import fs from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder = '', handlerName = '', lead = '0'] = process.argv.slice(2);
const base = pathToFileURL(`${folder}/`).href;
let skewMs = Number(lead);
const realNow = Date.now;
Date.now = () => realNow() + skewMs;

const files = new Set<string>();
registerHooks({
  load(url, context, next) {
    if (url.startsWith(base)) files.add(basename(url));
    return next(url, context);
  },
});
// What code reads beside itself.
const readFileSync = fs.readFileSync;
fs.readFileSync = ((path: never, ...rest: never[]) => {
  if (String(path).includes(folder)) files.add(basename(String(path)));
  return readFileSync(path, ...rest);
}) as typeof readFileSync;

type Handler = (event: unknown, context: object) => Promise<unknown>;
const told = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error);
const send = (message: object): void => void process.send?.({ ...message, files: [...files] });

let handler: Handler | undefined;
try {
  const [file, name = ''] = handlerName.split('.');
  const module = (await import(pathToFileURL(join(folder, `${file}.mjs`)).href)) as Record<string, Handler>;
  handler = module[name];
  if (typeof handler !== 'function') throw new Error(`${handlerName} is not exported`);
  send({});
} catch (error) {
  send({ error: told(error) });
}

process.on(
  'message',
  async ({ event, skewMs: now, timeoutMs }: { event: unknown; skewMs: number; timeoutMs: number }) => {
    skewMs = now;
    const until = performance.now() + timeoutMs;
    const context = {
      getRemainingTimeInMillis: () => Math.max(0, until - performance.now()),
      functionName: process.env['AWS_LAMBDA_FUNCTION_NAME'],
      awsRequestId: '00000000-0000-4000-8000-000000000000',
    };
    try {
      const value = await handler?.(event, context);
      send({ value: value === undefined ? null : JSON.parse(JSON.stringify(value)) });
    } catch (error) {
      send({ error: told(error) });
    }
  },
);
process.on('disconnect', () => process.exit());
