import { readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { devNull } from 'node:os';
import { dirname, join } from 'node:path';
import type { LocalAws } from '#local/emulator/emulator.ts';
import { type CommandResult, runCommand } from '#local/shell/run-command.ts';
import { UserError } from '#local/shell/user-error.ts';

/** The CDK CLI of this repository or project, run by the Node that runs this program. Throws UserError where it is none. */
export function cdkCommand(): string {
  let manifest: string;
  try {
    manifest = createRequire(import.meta.url).resolve('aws-cdk/package.json');
  } catch {
    throw new UserError('The CDK CLI is not installed here: npm install --save-dev aws-cdk');
  }
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { cdk: string } };
  return join(dirname(manifest), bin.cdk);
}

/** The environment in which any AWS tool talks to the local AWS, and to nothing else. */
function localAwsEnvironment(aws: LocalAws): NodeJS.ProcessEnv {
  const { AWS_PROFILE: _profile, AWS_SESSION_TOKEN: _token, AWS_DEFAULT_PROFILE: _default, ...rest } = process.env;
  return {
    ...rest,
    AWS_ENDPOINT_URL: aws.endpoint,
    AWS_REGION: aws.region,
    AWS_DEFAULT_REGION: aws.region,
    AWS_ACCESS_KEY_ID: aws.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: aws.credentials.secretAccessKey,
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    // A local AWS checks nothing of what CloudFormation's rules check, which take half of a synthesis.
    CDK_VALIDATION: 'false',
    CI: 'true',
  };
}

/** Runs the CDK CLI against the local AWS. Its output goes to `cdk.log`; a failure throws UserError with the end of it. */
export async function runLocalCdk(
  aws: LocalAws,
  args: readonly string[],
  options: { cwd?: string; onLine?: (line: string) => void } = {},
): Promise<CommandResult> {
  const log = join(aws.directory, 'cdk.log');
  const result = await runCommand(process.execPath, [cdkCommand(), ...args, '--no-notices'], {
    env: localAwsEnvironment(aws),
    ...options,
  });
  await appendFile(log, `\n$ cdk ${args.join(' ')}\n${result.output}`);
  if (result.code !== 0) {
    const end = result.output.trim().split('\n').slice(-25).join('\n');
    throw new UserError(`cdk ${args[0]} failed (the whole output is in ${log}):\n${end}`);
  }
  return result;
}
