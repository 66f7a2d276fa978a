/** The name of a message's file: `1706123456789012345-a1b2c3d4.msg`. */
export function fileNameOf(stampNs: string, id: string): string {
  return `${stampNs}-${id.slice(-8)}.msg`;
}
