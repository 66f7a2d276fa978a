/** The command line, and what makes a checkout ready. */
import type { KeptPromise } from './promise.ts';

export const cliPromises: readonly KeptPromise[] = [
  {
    id: 'cli.json',
    says: 'Whichever command it is, a program is told what it refuses in one line of JSON of one shape.',
    guard: {
      file: 'src/cli/core/program.test.ts',
      title: 'every command tells programs in one line of JSON what it does not understand',
    },
    proof: {
      file: 'src/cli/core/program.test.ts',
      title: 'is told to programs as one line of JSON on stdout',
    },
    bug: {
      what: 'a failure is told on stderr to programs too',
      file: 'src/cli/core/report.ts',
      find: `terminal.out(\`\${safeJson({ ok: false,`,
      put: `terminal.err(\`\${safeJson({ ok: false,`,
    },
  },
  {
    id: 'cli.json-data',
    says: 'Commands answer a program with "data" beside "ok", in one line of JSON.',
    guard: {
      file: 'tests/e2e/tools.test.ts',
      title: 'every command answers with --json, in one line',
    },
    proof: { file: 'tests/e2e/relay.test.ts', title: 'answer with --json, each in one line' },
    bug: {
      what: 'one command has words for people alone',
      file: 'src/cli/security/secret.ts',
      find: 'context.print({ data: found, text: rows.length === 0 ',
      put: 'context.words({ data: found, text: rows.length === 0 ',
    },
  },
  {
    id: 'cli.refusal',
    says: 'What is refused is told in one sentence with what to do, and ends with the documented exit code.',
    guard: {
      file: 'src/cli/core/program.test.ts',
      title: 'is told as one sentence and a fix on stderr',
    },
    proof: {
      file: 'src/kernel/errors.test.ts',
      title:
        'docs/errors.md lists exactly the codes of the table, with their kind, status and exit code',
    },
    bug: {
      what: 'every failure ends with 1',
      file: 'src/cli/core/program.ts',
      find: 'return exitCodeOf(toReport(why).code);',
      put: 'return 1;',
    },
  },
  {
    id: 'cli.settings',
    says: 'A setting comes from the flag, else the environment, else the file, else the default; what is unknown is refused.',
    guard: {
      file: 'src/app/config/config.test.ts',
      title: 'a value comes from the flag, else the variable, else the file, else the default',
    },
    proof: { file: 'tests/e2e/config.test.ts', title: 'an unknown AOS_ variable is refused' },
    bug: {
      what: 'the file has the last word',
      file: 'src/app/config/config.ts',
      find: 'new Map([...below, ...above].map(',
      put: 'new Map([...above, ...below].map(',
    },
  },
  {
    id: 'cli.no-daemon',
    says: 'A command does the same with a daemon and without one.',
    guard: {
      file: 'tests/e2e/memory.test.ts',
      title: 'without a daemon the same commands open the home themselves',
    },
    proof: {
      file: 'tests/e2e/daemon.test.ts',
      title: 'does the same with a daemon and without one',
    },
    bug: {
      what: 'the home is closed before the work in it is done',
      file: 'src/app/home/use-home.ts',
      find: 'return await work(home.client);',
      put: 'return work(home.client);',
    },
  },
  {
    id: 'cli.docs',
    says: 'Every command that the documents show prints what they show.',
    guard: { file: 'tests/e2e/docs.test.ts', title: '$document: "$first" … print what is shown' },
    proof: { file: 'tests/e2e/docs.test.ts', title: '$document: "$first" … print what is shown' },
    bug: {
      what: 'a command has another word for what it did than the documents',
      file: 'src/cli/message/channel.ts',
      find: "answer.joined ? 'has joined'",
      put: "answer.joined ? 'has entered'",
    },
  },
  {
    id: 'cli.doctor',
    says: 'aos doctor names what mends everything that it finds wrong.',
    guard: {
      file: 'src/app/doctor/examine.test.ts',
      title: '%s is told with what mends it',
    },
    proof: { file: 'tests/e2e/doctor.test.ts', title: 'is told where it is %s' },
    bug: {
      what: 'what breaks a check is told without what mends it',
      file: 'src/app/doctor/examine.ts',
      find: '...(fix === undefined ? {} : { fix })',
      put: '',
    },
  },
  {
    id: 'cli.doctor-traces',
    says: 'aos doctor tries what it tells, and leaves nothing of that behind.',
    guard: {
      file: 'tests/e2e/doctor.test.ts',
      title: 'are told line by line, and the exit code is 0; nothing is left in it or beside it',
    },
    proof: {
      file: 'tests/e2e/doctor.test.ts',
      title: 'are well too where the home is not there yet, and it is not there afterwards',
    },
    bug: {
      what: 'the folder by which it was tried whether the home can be written stays',
      file: 'src/app/doctor/home.ts',
      find: '    await disk.remove(trial);\n',
      put: '',
    },
  },
  {
    id: 'setup.ready',
    says: 'npm start and npm test make a checkout ready by themselves, and a second time there is nothing to do.',
    guard: {
      file: 'tests/gate/setup.test.ts',
      title: 'a second setup changes nothing and says nothing',
    },
    proof: {
      file: 'tests/gate/setup-install.test.ts',
      title: 'npm start makes a fresh clone ready, and the second time only starts',
    },
    bug: {
      what: 'the stamp of the build is compared with another one',
      file: 'scripts/setup.mjs',
      find: 'readIfThere(buildStamp) === wantedBuildStamp()',
      put: 'readIfThere(buildStamp) === sourceDigest()',
    },
  },
  {
    id: 'setup.failure',
    says: 'A setup that fails says why in words, and does not take the checkout for ready.',
    guard: {
      file: 'tests/gate/setup-install.test.ts',
      title: 'setup tells in words when npm fails, and does not take the checkout for ready',
    },
    proof: {
      file: 'tests/gate/setup-install.test.ts',
      title: 'refuses a Node that is not the one the project was made with, and throws it away',
    },
    bug: {
      what: 'the stamp is written before the work',
      file: 'scripts/setup.mjs',
      find: '  rmSync(installStamp, { force: true });\n',
      put: '  mkdirSync(dirname(installStamp), { recursive: true });\n  writeFileSync(installStamp, wantedStamp(build));\n',
    },
  },
];
