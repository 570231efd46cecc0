/** The functions' log groups of a stack, read as CloudWatch Logs gives them. */
import { type CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { type CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { given } from '#core/given.ts';
import type { LogLine, LogReader } from '#operator/gateway.ts';

/** A construct's `Logs`, behind the name of its function, and the hash of CloudFormation; or the access log of an API. */
const LOGS = /^(?:(\w+?)Logs|FrontDoorAccessLog)[0-9A-F]{8}$/;
/** What the access log is called here. It has a line for each request, and is read only when it is asked for. */
const REQUESTS = 'requests';

interface Options {
  readonly cloudFormation: CloudFormationClient;
  readonly logs: CloudWatchLogsClient;
  /** Whose functions: the gateway's, and the one that sends, where there is one. */
  readonly stackNames: readonly string[];
  /** The service chooses the lines. The local AWS knows no patterns: there all lines are read. */
  readonly filters: boolean;
}

export function cloudWatchLogReader({ cloudFormation, logs, stackNames, filters }: Options): LogReader {
  type Group = readonly [name: string, group: string];
  let known: Promise<readonly Group[]> | undefined;
  const groupsOf = async (StackName: string): Promise<readonly Group[]> => {
    const groups: Group[] = [];
    for await (const { StackResourceSummaries: found = [] } of paginateListStackResources(
      { client: cloudFormation },
      { StackName },
    ))
      for (const { ResourceType, LogicalResourceId = '', PhysicalResourceId: group } of found) {
        const match = ResourceType === 'AWS::Logs::LogGroup' ? LOGS.exec(LogicalResourceId) : null;
        if (match && group !== undefined) groups.push([nameOf(match[1]), group]);
      }
    return groups;
  };
  const readGroup = async (
    [name, logGroupName]: Group,
    { startTime, endTime }: { readonly startTime: number; readonly endTime?: number },
    pattern: string,
  ) => {
    const lines: LogLine[] = [];
    let nextToken: string | undefined;
    do {
      const page = await logs.send(
        new FilterLogEventsCommand({
          logGroupName,
          startTime,
          ...given({ endTime }),
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
    async read(startTime, pattern, of, endTime) {
      known ??= Promise.all(stackNames.map(groupsOf))
        .then(groups => groups.flat())
        .catch((error: unknown) => {
          known = undefined;
          throw error;
        });
      const wanted = (await known).filter(([name]) => (of === undefined ? name !== REQUESTS : name === of));
      const span = { startTime, ...given({ endTime }) };
      const pages = await Promise.all(wanted.map(group => readGroup(group, span, pattern)));
      return pages.flat().sort((a, b) => a.at - b.at);
    },
  };
}

/** `DrainFast` is the function `drain-fast`. */
function nameOf(construct: string | undefined): string {
  if (construct === undefined) return REQUESTS;
  return construct
    .replace(/Function$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
    .toLowerCase();
}
