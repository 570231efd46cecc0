/** The commands that are programs of their own in local/: they take no `--env` and no `--json`. */
export const PROGRAM_WORDS = {
  start: 'Deploy the project to the local AWS and follow what arrives. Ctrl-C ends it',
  check: 'Check gateway.config.ts and the handlers, without building or deploying',
  drill: 'Reproduce an incident on the local AWS, and fix it as its runbook says',
  deploy: 'Deploy an environment to AWS',
  diff: 'Show what a deploy would change, and what it would stop',
  destroy: 'Delete an environment from AWS',
} as const;

export type ProgramName = keyof typeof PROGRAM_WORDS;
