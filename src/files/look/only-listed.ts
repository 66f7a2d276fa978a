import { AosError } from '../../kernel/errors.ts';

export function onlyListed(): AosError {
  return new AosError('files.invalid-input', {
    message: 'Files that are the same are found by list_files',
    fix: 'Use list_files with filters.duplicates',
  });
}
