import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The longest: started first, the others fill the cores beside them. */
const FIRST = ['test/proof/journeys/crash-points.test.ts', 'test/bundles/bundles.test.ts', 'test/e2e/prove.test.ts'];
/** After them, project by project, so that a worker keeps its modules. */
const THEN = ['proof', 'e2e', 'synth', 'adapters', 'core', 'services', 'commands', 'bundles'];

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
