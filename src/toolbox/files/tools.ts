/** The tools `files.*`: each action of the file agent, and what came later. */
import { type FileRun, viaOf } from '../../files/file-agent.ts';
import type { FileAgent } from '../../files/open-file-agent.ts';
import { type FileAction, type FileRequest, fileActions } from '../../kernel/files/request.ts';
import { type Tool, type ToolCall, toolOf } from '../../tools/tool.ts';
import { fileActionTool, fileAgentTools as verbs } from '../../verbs/file-tools.ts';

/** A batch of many files on slow disks. */
const longestMs = 3_600_000;

// What was begun under a key is finished, and not done again.
const resumed = { repeatable: true, cleansUp: true, endsWithCaller: true } as const;

export function filesTools(agent: FileAgent): readonly Tool[] {
  return [...fileActions.map((action) => actionTool(agent, action)), ...moreTools(agent)];
}

function actionTool(agent: FileAgent, action: FileAction): Tool {
  const verb = fileActionTool(action);
  const requestOf = (parts: object): FileRequest => ({ action, ...parts });
  return toolOf(verb, agent, {
    ...resumed,
    asksEachTime: true,
    ...(verb.effect === 'looks' ? {} : { deadlineMs: longestMs }),
    asks: (parts, { principal, signal, key }) =>
      agent.question(requestOf(parts), { principal, signal, via: viaOf(key) }),
    run: (parts, call) => agent.run(requestOf(parts), runOf(call)),
  });
}

function moreTools(agent: FileAgent): readonly Tool[] {
  return [
    toolOf(verbs.undoPlan, agent, {
      ...resumed,
      deadlineMs: longestMs,
      run: ({ plan, dry_run }, call) => agent.undo({ plan, dryRun: dry_run }, runOf(call)),
    }),
    toolOf(verbs.listPlans, agent, { run: (page, call) => agent.plans(page, runOf(call)) }),
    toolOf(verbs.listTrash, agent, { run: (_, call) => agent.trash(runOf(call)) }),
    toolOf(verbs.restoreFile, agent, {
      ...resumed,
      run: ({ path, dry_run }, call) => agent.restore({ path, dryRun: dry_run }, runOf(call)),
    }),
    toolOf(verbs.understand, agent, {
      run: (request, call) => agent.understand(request, runOf(call)),
    }),
    toolOf(verbs.indexFolder, agent, {
      ...resumed,
      deadlineMs: longestMs,
      run: ({ path }, call) => agent.index(path, runOf(call)),
    }),
    toolOf(verbs.dropIndex, agent, {
      repeatable: true,
      run: ({ path }, call) => agent.dropIndex(path, runOf(call)),
    }),
    toolOf(verbs.listIndexes, agent, { run: (_, call) => agent.indexes(runOf(call)) }),
  ];
}

function runOf(call: ToolCall): FileRun {
  const { principal, key, signal } = call;
  return {
    ...{ principal, key, signal, via: viaOf(key) },
    approvedReason: () => call.approvedReason(),
    onProgress: (done, total) => {
      if (done % 100 !== 0 && done !== total) return;
      call.show?.({ stream: 'stderr', bytes: Buffer.from(`${done} of ${total}\n`) });
    },
  };
}
