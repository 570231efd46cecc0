/**
 * A request named a place for its key that no accepted request has named before, and it was not asked, or did not answer:
 * too many such places were named a moment ago. Anybody can bring this about, so it is no failure of ours.
 */
export class UnknownKeyPlaceError extends Error {
  override readonly name = 'UnknownKeyPlaceError';
}
