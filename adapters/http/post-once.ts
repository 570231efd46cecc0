import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { DependencyError } from '#core/errors.ts';
import type { Sender } from '#core/ports.ts';

/** `Sender` over node:http and node:https: one try, no redirect followed, the answer looked at for its status only. */
export const postOnce: Sender = {
  post: (url, headers, body, timeoutMs) =>
    new Promise((resolve, reject) => {
      const send = url.startsWith('https:') ? httpsRequest : httpRequest;
      const length = { 'content-length': String(body.length) };
      const request = send(url, { method: 'POST', headers: { ...headers, ...length } });
      const timer = setTimeout(() => request.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const fail = (error: Error): void => {
        clearTimeout(timer);
        reject(new DependencyError('http', `POST ${new URL(url).host}: ${error.message}`, { cause: error }));
      };
      request.once('error', fail);
      request.once('response', response => {
        response.once('error', fail);
        response.once('end', () => {
          clearTimeout(timer);
          resolve(response.statusCode ?? 0);
        });
        response.resume();
      });
      request.end(body);
    }),
};
