import { testSeeds } from './relay-seeds.ts';

testSeeds(1, 2);
