import manifest from '../../package.json' with { type: 'json' };

/** The version of Agent OS that is running. */
export const version: string = manifest.version;
