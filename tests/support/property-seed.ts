/** Properties are tried with cases that follow from the run's seed, as everything that is drawn. */
import * as fc from 'fast-check';
import { runSeed } from './tier.ts';

fc.configureGlobal({ seed: runSeed });
