/**
 * What runs inside a home: the daemon, and the commands that do its work where there is
 * none. A bundle of its own, because most commands only talk to the daemon.
 */
import { runDaemon } from './daemon.ts';
import { embedHome, giveUpSecretsIn, restoreInto } from './embed.ts';
import { findGarbage } from './upkeep/garbage.ts';
import { measureHome } from './upkeep/home-usage.ts';

export const inside = {
  runDaemon,
  embedHome,
  restoreInto,
  giveUpSecretsIn,
  measureHome,
  findGarbage,
};
