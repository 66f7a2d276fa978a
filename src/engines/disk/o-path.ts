/** Linux: opens a file without reading it, also one that is closed to us. Node has no name for it. */
export const O_PATH = 0o10000000;
