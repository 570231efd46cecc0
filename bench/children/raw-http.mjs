// The same calls as a handler makes, by bare node:http: no signature, no retry, no types. The floor of any client.
const { Agent } = process.getBuiltinModule('node:https');
const agent = new Agent({ keepAlive: true });

export function call(request, { url, path, headers, body }) {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method: 'POST', agent, headers }, response => {
      const chunks = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export async function callAll(request, calls) {
  for (const each of calls) await call(request, each);
}
