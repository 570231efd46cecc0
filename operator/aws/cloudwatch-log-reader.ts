/** The functions' log groups of a stack, read as CloudWatch Logs gives them. */
import { type CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { given } from '#core/given.ts';
import type { LogLine, LogReader } from '#operator/gateway.ts';

/** A construct's `Logs`, behind the name of its function, and the hash of CloudFormation. */
const FUNCTION_LOGS = /^(\w+?)Logs[0-9A-F]{8}$/;

interface Options {
  readonly cloudFormation: CloudFormationClient;
  readonly logs: CloudWatchLogsClient;
  readonly stackName: string;
  /** The service chooses the lines. The local AWS knows no patterns: there all lines are read. */
  readonly filters: boolean;
}

export function cloudWatchLogReader({ cloudFormation, logs, stackName, filters }: Options): LogReader {
  let known: Promise<readonly (readonly [name: string, group: string])[]> | undefined;
  const groups = async () => {
    const { StackResources: found = [] } = await cloudFormation.send(
      new DescribeStackResourcesCommand({ StackName: stackName }),
    );
    return found.flatMap(({ ResourceType, LogicalResourceId = '', PhysicalResourceId: group }) => {
      const name = FUNCTION_LOGS.exec(LogicalResourceId)?.[1];
      if (ResourceType !== 'AWS::Logs::LogGroup' || name === undefined || group === undefined) return [];
      return [[name.replace(/Function$/, '').toLowerCase(), group] as const];
    });
  };
  const readGroup = async (name: string, logGroupName: string, startTime: number, pattern: string) => {
    const lines: LogLine[] = [];
    let nextToken: string | undefined;
    do {
      const page = await logs.send(
        new FilterLogEventsCommand({
          logGroupName,
          startTime,
          filterPattern: filters ? pattern : '',
          ...given({ nextToken }),
        }),
      );
      for (const { timestamp: at = 0, message = '' } of page.events ?? [])
        lines.push({ at, from: name, text: message });
      nextToken = page.nextToken;
    } while (nextToken);
    return lines;
  };
  return {
    async read(since, pattern) {
      known ??= groups().catch((error: unknown) => {
        known = undefined;
        throw error;
      });
      const pages = await Promise.all((await known).map(([name, group]) => readGroup(name, group, since, pattern)));
      return pages.flat().sort((a, b) => a.at - b.at);
    },
  };
}
