import { at, type Examples } from './example.ts';

const actions = [
  ...['list_files', 'read_file', 'write_file', 'move_file', 'rename_file', 'copy_file'],
  ...['delete_file', 'search_files', 'get_metadata', 'get_disk_usage'],
];

const permissions = ['filesystem.read', 'filesystem.write', 'filesystem.move'];

export const fileExamples = {
  fileManifest: {
    answer: {
      manifest: {
        ...{ name: 'file_agent', version: '0.1.0' },
        description: 'Handles all local file system operations for IntentOS',
        ...{ permissions, optional_permissions: ['filesystem.delete'], actions },
      },
      more: {
        ...{ name: 'file_agent_more', version: '0.1.0' },
        description: 'Taking back, the trash, sentences and indexes of the file agent',
        ...{ permissions, optional_permissions: ['filesystem.delete'], actions: ['undo_plan'] },
      },
    },
  },
  runFiles: {
    body: {
      ...{ action: 'list_files', path: '~/Downloads' },
      filters: { type: 'pdf', modified_after: '2030-01-01' },
    },
    answer: {
      ...{ status: 'success', action_performed: 'Found 1 file or folder in "~/Downloads"' },
      result: {
        files: [
          {
            ...{ name: 'report.pdf', path: '/home/jean/Downloads/report.pdf', kind: 'file' },
            ...{ size: '1.2 MB', size_bytes: 1_204_221, type: 'PDF document' },
            ...{ modified: '31 January 2030, 12:00', modified_at: at('12:00:00') },
          },
        ],
        ...{ total: 1, total_bytes: 1_204_221, truncated: false },
        ...{ skipped: [], skipped_total: 0, denied_total: 0 },
      },
      metadata: { files_affected: 1, bytes_affected: 1_204_221, duration_ms: 4 },
    },
  },
} satisfies Examples;
