#!/usr/bin/env node
// `aos transfer` under the name that agents know it by. Must run on old Nodes, as aos.cjs does.

// By whatever link it was called: from this the program knows its name.
process.argv[1] = __filename;
require('./aos.cjs');
