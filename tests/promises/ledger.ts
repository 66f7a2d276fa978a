/** What was answered stays, nobody changes it unseen, and a home has one owner. */
import type { KeptPromise } from './promise.ts';

export const ledgerPromises: readonly KeptPromise[] = [
  {
    id: 'ledger.flushed',
    says: 'Nobody is answered before what they wrote is flushed to the disk.',
    guard: {
      file: 'tests/crash/flush-before-answer.test.ts',
      title: 'a flush of the log between each write to the ledger and its answer',
    },
    proof: {
      file: 'tests/crash/relay-steps.test.ts',
      title: 'before the daemon says that it has a message',
    },
    bug: {
      what: 'callers are answered when their closure has run, before the commit',
      file: 'src/ledger/sqlite/group-commit.ts',
      find: 'attempt.outcomes.push(outcome);',
      put: "attempt.outcomes.push(outcome);\n      if (outcome.kind === 'done') task.resolve(outcome.value);",
    },
  },
  {
    id: 'ledger.survive-kill',
    says: 'What a caller was told is there after kill -9 of the daemon.',
    guard: {
      file: 'tests/crash/daemon-kill.test.ts',
      title: 'what 8 clients were told is there after many kills each of two homes (seeds %d, %d)',
    },
    proof: {
      file: 'tests/crash/daemon-kill.test.ts',
      title: 'what 8 clients were told is there after many kills each of two homes (seeds %d, %d)',
    },
    bug: {
      what: 'the log that a crash has left is removed at the start as litter',
      file: 'src/ledger/sqlite/sqlite.ts',
      find: 'await makeFile(deps.disk, options.path);',
      put: "await makeFile(deps.disk, options.path);\n  await deps.disk.remove(options.path + '-wal').catch(() => {});",
    },
  },
  {
    id: 'ledger.survive-power',
    says: 'What was answered is there after a power cut, and nothing of it in part.',
    guard: {
      file: 'tests/crash/flush-before-answer.test.ts',
      title: 'a flush of the log between each write to the ledger and its answer',
    },
    proof: {
      file: 'tests/crash/power-loss.test.ts',
      title: 'holds every answered write and a clean prefix (seed %d)',
    },
    bug: {
      what: 'a commit is not flushed',
      file: 'src/ledger/sqlite/sqlite.ts',
      find: 'pragma synchronous = full;',
      put: 'pragma synchronous = normal;',
    },
  },
  {
    id: 'ledger.chain',
    says: 'An event that was edited, taken away or cut out of the ledger is found and named.',
    guard: { file: 'tests/e2e/daemon.test.ts', title: 'finds %s' },
    proof: { file: 'tests/e2e/daemon.test.ts', title: 'finds %s' },
    bug: {
      what: 'data is not compared with its digest',
      file: 'src/security/audit/walk.ts',
      find: 'if (data !== null && dataDigest(data) !== data_digest) {',
      put: 'if (data !== null && data_digest === null) {',
    },
  },
  {
    id: 'ledger.head',
    says: 'Against a head that was kept elsewhere, a ledger that was cut short or hashed anew as a whole is found out.',
    guard: {
      file: 'src/security/audit/verify.slow.test.ts',
      title: 'finds a chain that was wholly written anew',
    },
    proof: {
      file: 'tests/e2e/daemon.test.ts',
      title: 'finds a chain that was hashed again as a whole, against a head kept elsewhere',
    },
    bug: {
      what: 'of a head that was kept only the number is compared',
      file: 'src/security/audit/walk.ts',
      find: '|| keptHead.hash === this.#head.hash)',
      put: '|| keptHead.seq === this.#head.seq)',
    },
  },
  {
    id: 'ledger.feed',
    says: 'A reader of events who comes back sees every event once and in order.',
    guard: {
      file: 'src/gateway/routes/events.slow.test.ts',
      title: 'follow() goes over lost connections: no gap and nothing twice',
    },
    proof: {
      file: 'tests/crash/event-stream.test.ts',
      title: 'a reader that comes back sees every event once and in order, over many kills',
    },
    bug: {
      what: 'the place that was reached is not kept for the next connection',
      file: 'src/gateway/client/client.ts',
      find: 'place = isNew ? position : place;',
      put: '',
    },
  },
  {
    id: 'home.one-writer',
    says: 'A home has one daemon at a time: a second one is refused in words, and the first serves on.',
    guard: {
      file: 'tests/crash/takeover.test.ts',
      title: 'without --takeover a second daemon is refused in words, and the first one serves on',
    },
    proof: {
      file: 'src/app/home/home-lock.slow.test.ts',
      title: 'of ten that take over at once exactly one holds in the end',
    },
    bug: {
      what: 'the lock is not held on to after its row was written',
      file: 'src/app/home/home-lock.ts',
      find: 'return file.commit() && file.begin({ waitMs: passingMs }) && file',
      put: 'return file.commit() && file',
    },
  },
  {
    id: 'home.takeover',
    says: 'A daemon that is frozen can be replaced, and nothing that it answered is lost.',
    guard: {
      file: 'tests/crash/takeover.test.ts',
      title: 'a %s daemon is replaced, and nothing that it answered is lost',
    },
    proof: {
      file: 'tests/crash/runtime-no-lie.test.ts',
      title: 'what a frozen daemon was doing is taken up by the one that takes its home over',
    },
    bug: {
      what: 'the old daemon is asked to end, which a frozen one does not hear',
      file: 'src/app/home/home-lock.ts',
      find: "processes.kill(holder.pid, 'SIGKILL')",
      put: "processes.kill(holder.pid, 'SIGTERM')",
    },
  },
  {
    id: 'home.private',
    says: 'The home is open to its owner alone, and one that is open to others is refused.',
    guard: {
      file: 'src/app/home/home-folder.test.ts',
      title: 'modes that are open to others are refused, not changed: %s',
    },
    proof: {
      file: 'src/app/home/home-folder.test.ts',
      title: 'prepareHome() makes the home, its parents and its folders, for the owner alone',
    },
    bug: {
      what: 'what is open to a group counts as private',
      file: 'src/app/doctor/modes.ts',
      find: '0o077',
      put: '0o007',
    },
  },
  {
    id: 'home.full-disk',
    says: 'A home that was killed on a full disk starts again by the advice that is given: `aos gc`, `aos up`.',
    guard: {
      file: 'src/app/upkeep/reserve.test.ts',
      title: 'withRoom() gives the reserve back on a full disk before the work, and not on another',
    },
    proof: {
      file: 'tests/crash/full-disk.test.ts',
      title: 'a home that is filled and killed starts again by "aos gc", and nothing is lost',
    },
    bug: {
      what: 'the room that is kept is not given back',
      file: 'src/app/upkeep/reserve.ts',
      find: 'await removeIfThere(disk, join(home, reserveName));',
      put: 'await disk.stat(join(home, reserveName));',
    },
  },
  {
    id: 'home.damaged',
    says: 'A ledger or a key that is lost or damaged stops the start; nothing is begun anew in its place.',
    guard: {
      file: 'src/app/home/open-home.slow.test.ts',
      title: 'a home whose ledger %s is not begun anew, as if nothing had happened',
    },
    proof: {
      file: 'src/security/owner.slow.test.ts',
      title: 'without the key, and makes no other one',
    },
    bug: {
      what: 'a ledger that is empty counts as there',
      file: 'src/app/home/open-home.ts',
      find: 'if (ledger !== undefined && ledger.sizeBytes > 0) return;',
      put: 'if (ledger !== undefined) return;',
    },
  },
  {
    id: 'home.upgrade',
    says: 'An upgrade of the ledger that fails leaves it as it was, with a copy beside it.',
    guard: {
      file: 'src/ledger/sqlite/sqlite.test.ts',
      title: 'that fail leave the ledger as it was, and can be tried again',
    },
    proof: {
      file: 'src/ledger/sqlite/sqlite.test.ts',
      title: 'copy a ledger aside before they change it',
    },
    bug: {
      what: 'a migration that fails is committed as far as it came',
      file: 'src/ledger/sqlite/migrate.ts',
      find: "if (database.inTransaction) database.execute('rollback');",
      put: "if (database.inTransaction) database.execute('commit');",
    },
  },
  {
    id: 'home.backup',
    says: 'A backup that was made while the daemon runs comes back as it was, and what a restore replaces is kept.',
    guard: {
      file: 'src/app/upkeep/restore.slow.test.ts',
      title: 'a restore brings back the ledger as it was, and keeps what it replaces',
    },
    proof: {
      file: 'tests/e2e/daemon.test.ts',
      title: 'a backup of a running home comes back on another machine, keys and all',
    },
    bug: {
      what: 'the ledger that is replaced is not kept',
      file: 'src/app/upkeep/restore.ts',
      find: "const linked = [...(await present(disk, home, ['ledger.db'])), ...differing];",
      put: 'const linked = [...differing];',
    },
  },
  {
    id: 'home.restore',
    says: 'A restore from a file that is damaged, or no backup, changes nothing.',
    guard: {
      file: 'src/app/upkeep/restore.slow.test.ts',
      title: 'a backup whose index misses a row is refused',
    },
    proof: {
      file: 'src/app/upkeep/restore.slow.test.ts',
      title: 'a backup that $what is refused, and nothing changes',
    },
    bug: {
      what: 'a backup is not looked through for damage',
      file: 'src/app/upkeep/read-backup.ts',
      find: "if (check?.integrity_check !== 'ok') throw damaged(path);",
      put: 'if (check === undefined) throw damaged(path);',
    },
  },
];
