// The same calls as a handler makes, by bare node:http (or node:https where the address says so): no signature, no retry, no
// types. The floor of any client.
const kept = new Map();

/** `request` of the module that the address needs, and its agent. */
function moduleOf(url) {
  const name = url.startsWith('https:') ? 'node:https' : 'node:http';
  if (!kept.has(name)) {
    const { Agent, request } = process.getBuiltinModule(name);
    kept.set(name, { request, agent: new Agent({ keepAlive: true }) });
  }
  return kept.get(name);
}

function call({ url, path, headers, body }) {
  const { request, agent } = moduleOf(url);
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

export async function callAll(calls) {
  for (const each of calls) await call(each);
}
