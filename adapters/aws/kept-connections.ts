import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

const OPTIONS = { keepAlive: true, maxSockets: 50 };

/**
 * Connections kept for the next call of one client. A frozen function does not see that a service ends them: the next
 * call finds out by an error, and its second try must not take another one of that age. When one ends, all idle ones go.
 */
export function keptConnections(): { readonly httpAgent: HttpAgent; readonly httpsAgent: HttpsAgent } {
  return { httpAgent: ending(new HttpAgent(OPTIONS)), httpsAgent: ending(new HttpsAgent(OPTIONS)) };
}

function ending<T extends HttpAgent>(agent: T): T {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, callback);
    socket?.once('close', () => {
      for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
    });
    return socket;
  };
  return agent;
}
