import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that mostly wait, for an emulator or a JVM: started first, they overlap with those that compute. */
const WAITING = ['test/e2e/local-aws.test.ts', 'test/contracts/java-services.test.ts'];
/** After them, project by project, so that a worker keeps its modules; one emulator of the end-to-end suite at a time. */
const THEN = ['proof', 'e2e', 'synth', 'adapters', 'core'];

/** The order of the test files in a run of everything. */
export default class SuiteOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number => {
      const waiting = WAITING.indexOf(relative(project.vitest.config.root, moduleId));
      return waiting >= 0 ? waiting : WAITING.length + THEN.indexOf(project.name);
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
