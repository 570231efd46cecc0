/** Guides as a reader follows them: the files and commands they show, and `npm start` of the project they make. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { REPOSITORY } from './packed-project.ts';

/** What a reader of a guide does: the files it shows, by path, and its shell commands, block by block. */
export async function readGuide(
  name: string,
): Promise<{ readonly files: ReadonlyMap<string, string>; readonly commands: readonly string[] }> {
  const guide = await readFile(join(REPOSITORY, 'docs', name), 'utf8');
  const files = [...guide.matchAll(/^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms)];
  const commands = [...guide.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, text = '']) => text);
  return { files: new Map(files.map(([, path = '', text = '']) => [path, text])), commands };
}

export async function writeFiles(project: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), text);
  }
}

/** `npm start` of a project, once it waits for events; `printed`: what it said until then. */
export async function startProject(project: string, port: string, env: NodeJS.ProcessEnv = {}) {
  // Not through npm, which would not pass the signal on.
  const program = join(project, 'node_modules/holdfast/dist/bin/holdfast.js');
  const started = spawn('node', [program, 'start', '--port', port], {
    cwd: project,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed: string[] = [];
  for await (const line of createInterface({ input: started.stdout })) {
    printed.push(line);
    if (line.startsWith('Events as they')) break;
  }
  const stop = async (): Promise<void> => {
    started.kill('SIGINT');
    await Promise.race([once(started, 'exit'), new Promise(done => setTimeout(done, 20_000))]);
  };
  return { printed, stop };
}
