import type { Instant } from '../../kernel/ports.ts';

const dayMs = 86_400_000;

/** How long ago a file was changed, as a reason that a person reads. */
export function changedInWords(modifiedAt: Instant, now: Instant): string {
  const days = Math.floor((now - modifiedAt) / dayMs);
  if (days < 0) return 'changed in the future';
  if (days === 0) return 'changed in the last 24 hours';
  if (days < 14) return `changed ${days} ${days === 1 ? 'day' : 'days'} ago`;
  if (days < 60) return `changed ${Math.floor(days / 7)} weeks ago`;
  if (days < 730) return `changed ${Math.floor(days / 30)} months ago`;
  return `changed ${Math.floor(days / 365)} years ago`;
}
