/** Everything that has a route and a secret: your sources, and the probe's. */
export function receivedSources<S>({ sources, probe }: ReceivedFrom<S>): readonly S[] {
  return probe === undefined ? sources : [...sources, probe];
}

interface ReceivedFrom<S> {
  readonly sources: readonly S[];
  readonly probe?: S;
}
