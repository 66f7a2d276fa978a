/** Our tools have dots in their names, which no vendor takes; none of ours has a hyphen. */

const longestName = 64;

export function vendorToolName(tool: string): string {
  const name = tool
    .replaceAll('.', '-')
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .slice(0, longestName);
  return name === '' ? 'unnamed' : name;
}

/** What a model made up is passed on too: the door to the tools answers it. */
export function ourToolName(vendorName: string): string {
  return vendorName.replaceAll('-', '.');
}
