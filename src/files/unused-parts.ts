import { AosError } from '../kernel/errors.ts';
import type { FileRequest } from '../kernel/files/request.ts';

/** What an action does not look at is refused: the caller meant something by it. */
export function refuseUnused(request: FileRequest, parts: readonly (keyof FileRequest)[]): void {
  const unused = parts.find((part) => request[part] !== undefined);
  if (unused === undefined) return;
  throw new AosError('files.invalid-input', {
    message: `${request.action} does not take ${unused}`,
    fix: `Leave ${unused} out, or use another action`,
  });
}
