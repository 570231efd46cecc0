import { checkVariants } from './check-variants.ts';
import { importDeliveriesVariants } from './import-deliveries-model.ts';

// Holds O3, O4, O5.
checkVariants('import-deliveries-model', ['O3', 'O4', 'O5'], importDeliveriesVariants);
