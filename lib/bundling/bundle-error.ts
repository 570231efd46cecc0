/** A bundle that is not whole: one sentence that says what is missing and what to do. It is never deployed. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}
