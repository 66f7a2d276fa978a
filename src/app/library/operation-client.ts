/**
 * What a program that signs needs: a client, keys, and opening what was sealed. A bundle of its own,
 * because most commands need none of it, and the curve is large.
 */
import { originOf } from '../../gateway/client/tcp-transport.ts';
import { openArtifact, saveArtifact } from './fetch-artifact.ts';
import { keyInFile, keyOfAgent, keyOfOwner, signedClient } from './signing-keys.ts';

export type { KeyPair as SigningKey } from '../../security/identity/key-pair.ts';

export const operationClient = {
  originOf,
  signedClient,
  keyInFile,
  keyOfAgent,
  keyOfOwner,
  openArtifact,
  saveArtifact,
};
