/**
 * `npm run release`: the version, the changelog, a commit and a tag. Nothing is pushed.
 * docs/releasing.md says what comes before and after.
 *
 *   npm run release -- VERSION [--dry-run]
 */
import { cutRelease, ReleaseRefused } from './cut-release.ts';
import { commandLine, root, say } from './run-tool.ts';

const { values: options, positionals } = commandLine({
  'dry-run': { type: 'boolean', default: false },
});

process.exitCode = main();

function main(): number {
  const [version, ...others] = positionals;
  if (version === undefined || others.length > 0) {
    say('Say which version: npm run release -- 0.2.0 [--dry-run]');
    return 2;
  }
  const today = new Date().toISOString().slice(0, 10);
  const isDryRun = options['dry-run'];
  try {
    const { tag, files, notes } = cutRelease({ root, version, today, isDryRun });
    say(`Version ${version} stands in ${files.join(', ')}`);
    say(`The changelog has ${notes.split('\n').filter((line) => line !== '').length} lines on it`);
    if (isDryRun) say('This was a dry run: nothing was written');
    else {
      say(`Committed, and tagged ${tag}. Look at it: git show ${tag}`);
      say(`Then: git push origin HEAD ${tag} && npm publish`);
      say(`To take it back before that: git tag --delete ${tag} && git reset --hard HEAD~1`);
    }
    return 0;
  } catch (failure) {
    if (!(failure instanceof ReleaseRefused)) throw failure;
    say(failure.message);
    return 1;
  }
}
