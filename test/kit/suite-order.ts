import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The file that mostly waits, for the emulator, and the longest of those that compute: started first, they overlap. */
const FIRST = ['test/e2e/local-aws.test.ts', 'test/proof/journeys/crash-points.test.ts'];
/** After them, project by project, so that a worker keeps its modules. */
const THEN = ['proof', 'e2e', 'synth', 'adapters', 'core'];

/** The order of the test files in a run of everything. */
export default class SuiteOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const first = FIRST.indexOf(relative(project.vitest.config.root, moduleId));
      return first >= 0 ? first : FIRST.length + THEN.indexOf(project.name);
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
