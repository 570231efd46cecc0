import { activityVariants } from './activity-model.ts';
import { checkVariants } from './check-variants.ts';

checkVariants('activity-model', ['I8'], activityVariants);
