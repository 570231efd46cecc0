/**
 * What the dashboard asks of log lines that are written anyway: a table costs nothing until somebody opens the page, and a
 * metric for each source, type and cause would cost by the month.
 */
import { type IWidget, LogQueryVisualizationType, LogQueryWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';

/** Rows of a table. */
const SHOWN = 20;

interface Question {
  readonly title: string;
  readonly lines: readonly string[];
}

const QUESTIONS: readonly Question[] = [
  {
    title: 'Deaths by source, event type and cause',
    lines: [
      'filter stage = "dead_letter"',
      'stats count(*) as deaths, latest(error) as last_error by source, event_type, cause',
      'sort deaths desc',
    ],
  },
  {
    title: 'Event types that fail, and why',
    lines: [
      'filter stage = "attempt" and outcome in ["failed", "permanent", "retry"]',
      'stats count(*) as failures, latest(error) as last_error by source, event_type, cause',
      'sort failures desc',
    ],
  },
];

/** Tables over the time that the dashboard shows. */
export function queryWidgets(log: ILogGroup): readonly IWidget[] {
  return QUESTIONS.map(
    ({ title, lines }) =>
      new LogQueryWidget({
        title,
        logGroupNames: [log.logGroupName],
        queryLines: [...lines, `limit ${SHOWN}`],
        view: LogQueryVisualizationType.TABLE,
        width: 12,
        height: 7,
      }),
  );
}
