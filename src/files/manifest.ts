/** What the file agent declares of itself. */
import { fileActions } from '../kernel/files/request.ts';

export const fileManifest = {
  name: 'file_agent',
  version: '0.1.0',
  description: 'Handles all local file system operations for IntentOS',
  permissions: ['filesystem.read', 'filesystem.write', 'filesystem.move'],
  optional_permissions: ['filesystem.delete'],
  actions: fileActions,
} as const;

/** What came later, and is not part of the first one. */
export const moreActions = [
  'undo_plan',
  'list_plans',
  'list_trash',
  'restore_file',
  'understand',
  'index_folder',
  'drop_index',
  'list_indexes',
] as const;

export const moreManifest = {
  name: 'file_agent_more',
  version: '0.1.0',
  description: 'Taking back, the trash, sentences and indexes of the file agent',
  permissions: ['filesystem.read', 'filesystem.write', 'filesystem.move'],
  optional_permissions: ['filesystem.delete'],
  actions: moreActions,
} as const;
