import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Kills (SIGKILL) the processes in which a local AWS runs one function right now. They are known by the folder they run
 * from: named after the local AWS's instance and the function. Answers how many there were.
 */
export function killWorkers(instanceId: string, functionName: string): number {
  const workers = listProcesses().filter(
    ({ command }) => command.includes(instanceId) && command.includes(`ministack-lambda-${functionName}-`),
  );
  for (const { pid } of workers) process.kill(pid, 'SIGKILL');
  return workers.length;
}

function listProcesses(): readonly { readonly pid: number; readonly command: string }[] {
  if (existsSync('/proc/self/cmdline')) {
    return readdirSync('/proc').flatMap(name => {
      if (!/^\d+$/.test(name)) return [];
      try {
        return [{ pid: Number(name), command: readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
      } catch {
        return [];
      }
    });
  }
  const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' }).split('\n');
  return lines.map(line => ({ pid: Number.parseInt(line, 10), command: line })).filter(({ pid }) => pid > 0);
}
