/** Which functions of an environment AWS starts for nothing, as somebody may have set it outside of its stacks. */
import {
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  ListEventSourceMappingsCommand,
  type ListEventSourceMappingsCommandOutput,
} from '@aws-sdk/client-lambda';
import { LIVE_ALIAS } from '#core/names.ts';
import { sideBySide } from '#core/side-by-side.ts';
import type { FunctionStops } from '#operator/gateway.ts';
import { found } from './found.ts';

/** Lambda answers few such calls a second. */
const AT_ONCE = 4;

/** `functions`: the name of each in AWS, by its name here. */
export async function readFunctionStops(
  client: Pick<LambdaClient, 'send'>,
  functions: ReadonlyMap<string, string>,
): Promise<readonly FunctionStops[]> {
  return sideBySide(
    [...functions],
    async ([name, FunctionName]) => {
      const [{ ReservedConcurrentExecutions }, ...lists] = await Promise.all([
        client.send(new GetFunctionConcurrencyCommand({ FunctionName })),
        // With a canary a queue calls its alias.
        ...[FunctionName, `${FunctionName}:${LIVE_ALIAS}`].map(each => mappingsOf(client, each)),
      ]);
      const mappings = lists.flat().map(({ UUID = '', State = 'unknown' }) => ({ uuid: UUID, state: State }));
      return { name, awsName: FunctionName, mayRun: ReservedConcurrentExecutions !== 0, mappings };
    },
    AT_ONCE,
  );
}

type Mappings = NonNullable<ListEventSourceMappingsCommandOutput['EventSourceMappings']>;

/** Of a function, or of an alias of it; none where there is no such. */
export async function mappingsOf(client: Pick<LambdaClient, 'send'>, FunctionName: string): Promise<Mappings> {
  const page = await found(client.send(new ListEventSourceMappingsCommand({ FunctionName })));
  return page?.EventSourceMappings ?? [];
}

/** The functions of a stack, by what its outputs name: `DrainFastFunction` is `drain-fast`. */
export function functionsIn(outputs: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...outputs].flatMap(([output, awsName]) => {
    const [, words] = /^(\w+)Function$/.exec(output) ?? [];
    if (words === undefined) return [];
    return [[words.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase(), awsName] as const];
  });
}
