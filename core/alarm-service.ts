/** A target of alarms that the function `notify` tells itself, in the service's own format. */
export interface AlarmService {
  readonly severity: 'page' | 'ticket' | 'notice';
  readonly kind: 'slack' | 'pagerDuty';
  /** A name of yours, which the name of its secret ends with. */
  readonly name: string;
  /** Of PagerDuty: which of its two service regions has the account. */
  readonly region: 'us' | 'eu';
}
