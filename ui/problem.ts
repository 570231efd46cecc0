/** What went wrong, as a page shows it. */

export interface Problem {
  /** One sentence. */
  readonly problem: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** A refusal of the server, or no answer (`status` 0). */
export class ApiProblem extends Error {
  readonly problem: Problem;
  readonly status: number;

  constructor(problem: Problem, status: number) {
    super(problem.problem);
    this.problem = problem;
    this.status = status;
  }
}

/** Throws `ApiProblem` with `silent` where nothing answers, what `fetch` throws where it was aborted. */
export async function fetchOr(silent: Problem, path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new ApiProblem(silent, 0);
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof ApiProblem) return error.problem;
  return { problem: error instanceof Error ? error.message : String(error) };
}
