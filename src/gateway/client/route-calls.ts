/** Made of src/verbs by `npm run fix`: the function of the client for each route. */
import type { Answer, Body, Query } from '../contract/contract.ts';
import type { ActingOptions, Numbered, WriteOptions } from './exchange.ts';
import type { CallOptions } from './transport.ts';

export interface RouteCalls {
  /** Is the process alive? */
  livez(options?: CallOptions): Promise<Answer<'livez'>>;
  /** Does it take work? 503 while it starts, while it stops, and on a full disk. */
  readyz(options?: CallOptions): Promise<Answer<'readyz'>>;
  /** This interface as OpenAPI 3.1. */
  openapi(options?: CallOptions): Promise<Answer<'openapi'>>;
  /** What the daemon is doing; an agent sees the version and itself. */
  status(options?: CallOptions): Promise<Answer<'status'>>;
  /** Stop the daemon once what is under way has ended. */
  shutdown(options?: WriteOptions): Promise<Answer<'shutdown'>>;
  /** Copy everything into one new file; the keys only with a passphrase. */
  backup(input: Body<'backup'>, options?: WriteOptions): Promise<Answer<'backup'>>;
  /** What the home folder takes on the disk. */
  usage(options?: CallOptions): Promise<Answer<'usage'>>;
  /** Remove what nobody needs any more, or say what that would be. */
  gc(input: Body<'gc'>, options?: WriteOptions): Promise<Answer<'gc'>>;
  /** Read all stored bytes and compare them with their hashes, and those with the ledger. */
  verifyBlobs(options?: WriteOptions): Promise<Answer<'verifyBlobs'>>;
  /** Register an agent; its handle is shown this once. */
  register(input: Body<'register'>, options?: WriteOptions): Promise<Answer<'register'>>;
  /** Give an agent a new handle, shown this once; the old one is refused from then on. */
  renewHandle(
    name: string,
    input?: Body<'renewHandle'>,
    options?: WriteOptions,
  ): Promise<Answer<'renewHandle'>>;
  /** The agents by name; an agent sees itself. */
  agents(
    query?: Numbered<Query<'agents'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'agents'>>;
  /** One agent; an agent finds only itself. */
  agent(name: string, options?: CallOptions): Promise<Answer<'agent'>>;
  /** Make an agent that lives here: on a model, or as a program. */
  spawn(name: string, input?: Body<'spawn'>, options?: WriteOptions): Promise<Answer<'spawn'>>;
  /** All that is known of an agent; an agent finds itself and those it has spawned. */
  agentDetails(name: string, options?: CallOptions): Promise<Answer<'agentDetails'>>;
  /** Let it stop: a model agent after its step, a program where it is. */
  pauseAgent(
    name: string,
    input?: Body<'pauseAgent'>,
    options?: WriteOptions,
  ): Promise<Answer<'pauseAgent'>>;
  /** Let it go on. */
  resumeAgent(name: string, options?: WriteOptions): Promise<Answer<'resumeAgent'>>;
  /** End it, with all that it does and all agents that it has spawned. */
  killAgent(
    name: string,
    input?: Body<'killAgent'>,
    options?: WriteOptions,
  ): Promise<Answer<'killAgent'>>;
  /** A guest says that it is there; from then on its silence means that it is not. */
  heartbeat(name: string, options?: WriteOptions): Promise<Answer<'heartbeat'>>;
  /** Submit a goal; it is queued, and taken by an agent. */
  submitGoal(input: Body<'submitGoal'>, options?: WriteOptions): Promise<Answer<'submitGoal'>>;
  /** Goals and what became of them, the newest first; with state=queued in their order. */
  goals(query?: Numbered<Query<'goals'>, 'limit'>, options?: CallOptions): Promise<Answer<'goals'>>;
  /** One goal, whole; its id may be cut short where that is clear. */
  goal(id: string, options?: CallOptions): Promise<Answer<'goal'>>;
  /** The journal of a goal. */
  steps(
    id: string,
    query?: Numbered<Query<'steps'>, 'after' | 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'steps'>>;
  /** Change what comes first. */
  prioritizeGoal(
    id: string,
    input: Body<'prioritizeGoal'>,
    options?: WriteOptions,
  ): Promise<Answer<'prioritizeGoal'>>;
  /** Take a goal back, with all that was submitted for it. */
  cancelGoal(
    id: string,
    input?: Body<'cancelGoal'>,
    options?: WriteOptions,
  ): Promise<Answer<'cancelGoal'>>;
  /** Fork a goal at a step of its journal: a new one that goes on from there. */
  retryGoal(
    id: string,
    input?: Body<'retryGoal'>,
    options?: WriteOptions,
  ): Promise<Answer<'retryGoal'>>;
  /** What happened: one page with "Accept: application/json", else a stream of server-sent events. */
  events(
    query?: Numbered<Query<'events'>, 'after' | 'before' | 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'events'>>;
  /** Sign the end of the chain of events, to be kept elsewhere. */
  auditHead(options?: CallOptions): Promise<Answer<'auditHead'>>;
  /** Check the chain of events, also against a head that was kept elsewhere. */
  auditVerify(input?: Body<'auditVerify'>, options?: WriteOptions): Promise<Answer<'auditVerify'>>;
  /** Send a message; answered once it cannot be lost. "Idempotency-Key" is its dedup_key. */
  send(input: Body<'send'>, options?: WriteOptions): Promise<Answer<'send'>>;
  /** The whole path of a message, for the owner, its sender and its recipients. */
  message(id: string, options?: CallOptions): Promise<Answer<'message'>>;
  /** What the message asked for is done; its sender is told. */
  ack(id: string, input?: Body<'ack'>, options?: WriteOptions): Promise<Answer<'ack'>>;
  /** What the message asked for will not be done; its sender is told why. */
  nack(id: string, input: Body<'nack'>, options?: WriteOptions): Promise<Answer<'nack'>>;
  /** Send a request and wait for the response. */
  request(input: Body<'request'>, options?: WriteOptions): Promise<Answer<'request'>>;
  /** What somebody has not read yet; nothing is read by that. "owner" is a name here. */
  inbox(
    name: string,
    query?: Numbered<Query<'inbox'>, 'limit' | 'wait_ms'>,
    options?: CallOptions,
  ): Promise<Answer<'inbox'>>;
  /** Read messages: each is handed out once. Waits for one when there is none. */
  takeInbox(
    name: string,
    input?: Body<'takeInbox'>,
    options?: WriteOptions,
  ): Promise<Answer<'takeInbox'>>;
  /** Say that messages have been read. */
  readInbox(
    name: string,
    input: Body<'readInbox'>,
    options?: WriteOptions,
  ): Promise<Answer<'readInbox'>>;
  /** The channels and who has joined them; an agent sees those that it has joined. */
  channels(
    query?: Numbered<Query<'channels'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'channels'>>;
  /** Join a channel, which is there as long as somebody has joined it. */
  joinChannel(
    name: string,
    input?: Body<'joinChannel'>,
    options?: WriteOptions,
  ): Promise<Answer<'joinChannel'>>;
  /** Leave a channel. */
  leaveChannel(
    name: string,
    input?: Body<'leaveChannel'>,
    options?: WriteOptions,
  ): Promise<Answer<'leaveChannel'>>;
  /** Whom messages to "Lead" reach. */
  lead(options?: CallOptions): Promise<Answer<'lead'>>;
  /** Say whom messages to "Lead" reach; those that were held are sent on. */
  setLead(input: Body<'setLead'>, options?: WriteOptions): Promise<Answer<'setLead'>>;
  /** The kinds of events that an agent gets. */
  subscriptions(
    query?: Numbered<Query<'subscriptions'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'subscriptions'>>;
  /** Get the events of a type from now on, also after restarts. */
  subscribe(input: Body<'subscribe'>, options?: WriteOptions): Promise<Answer<'subscribe'>>;
  /** Get the events of a type no more. */
  unsubscribe(input: Body<'unsubscribe'>, options?: WriteOptions): Promise<Answer<'unsubscribe'>>;
  /** Give an agent a capability. */
  grant(input: Body<'grant'>, options?: WriteOptions): Promise<Answer<'grant'>>;
  /** Hand a part of what an agent holds on to another one; only what is provably narrower. */
  delegate(input: Body<'delegate'>, options?: WriteOptions): Promise<Answer<'delegate'>>;
  /** Take a grant back, and all that was delegated from it, at once. */
  revoke(id: string, options?: WriteOptions): Promise<Answer<'revoke'>>;
  /** The same, in one step, for every grant of an agent that says exactly this. */
  revokeCapability(
    input: Body<'revokeCapability'>,
    options?: WriteOptions,
  ): Promise<Answer<'revokeCapability'>>;
  /** The grants, the oldest first; an agent sees its own. */
  grants(
    query?: Numbered<Query<'grants'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'grants'>>;
  /** Whether an agent may do something, and why; nothing is counted or recorded. */
  checkGrant(input: Body<'checkGrant'>, options?: WriteOptions): Promise<Answer<'checkGrant'>>;
  /** Keep a secret; nobody can read it back. */
  setSecret(input: Body<'setSecret'>, options?: WriteOptions): Promise<Answer<'setSecret'>>;
  /** Which secrets there are, and for what; never what they are. */
  secrets(
    query?: Numbered<Query<'secrets'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'secrets'>>;
  /** Forget a secret. */
  removeSecret(name: string, options?: WriteOptions): Promise<Answer<'removeSecret'>>;
  /** The tools that there are, and what they take. */
  tools(options?: CallOptions): Promise<Answer<'tools'>>;
  /** Call a tool and wait for its end; "waiting" when a human has to approve. "Idempotency-Key" makes a repeated call one. */
  callTool(
    name: string,
    input: Body<'callTool'>,
    options?: WriteOptions,
  ): Promise<Answer<'callTool'>>;
  /** Calls of tools, the newest first; an agent sees its own. */
  calls(query?: Numbered<Query<'calls'>, 'limit'>, options?: CallOptions): Promise<Answer<'calls'>>;
  /** One call, and what came of it. */
  call(
    id: string,
    query?: Numbered<Query<'call'>, 'wait_ms'>,
    options?: CallOptions,
  ): Promise<Answer<'call'>>;
  /** Say what became of a call that nobody is sure of. */
  resolveCall(
    id: string,
    input: Body<'resolveCall'>,
    options?: WriteOptions,
  ): Promise<Answer<'resolveCall'>>;
  /** What waits for a human, the newest first; an agent sees what it asked for. */
  approvals(
    query?: Numbered<Query<'approvals'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'approvals'>>;
  /** One question to a human. */
  approval(id: string, options?: CallOptions): Promise<Answer<'approval'>>;
  /** Say yes, once or always; by a human only. */
  approve(id: string, input: Body<'approve'>, options?: WriteOptions): Promise<Answer<'approve'>>;
  /** Say no, and why; by a human only. */
  deny(id: string, input: Body<'deny'>, options?: WriteOptions): Promise<Answer<'deny'>>;
  /** Begin to send, or go on with what was begun; what is stored already is sent at once. */
  beginUpload(input: Body<'beginUpload'>, options?: WriteOptions): Promise<Answer<'beginUpload'>>;
  /** All bytes are there: send them. Answered once they cannot be lost. */
  finishUpload(
    id: string,
    input: Body<'finishUpload'>,
    options?: WriteOptions,
  ): Promise<Answer<'finishUpload'>>;
  /** Give up sending: it is written down as failed, and the room is free again. */
  failUpload(
    id: string,
    input: Body<'failUpload'>,
    options?: WriteOptions,
  ): Promise<Answer<'failUpload'>>;
  /** What was sent to the caller, or by the caller; the newest first. */
  transfers(
    query?: Numbered<Query<'transfers'>, 'limit' | 'wait_ms'>,
    options?: CallOptions,
  ): Promise<Answer<'transfers'>>;
  /** How a transfer stands, for its sender and its recipient. */
  transfer(
    id: string,
    query?: Numbered<Query<'transfer'>, 'wait_ms'>,
    options?: CallOptions,
  ): Promise<Answer<'transfer'>>;
  /** What its recipient needs to fetch it: the key, and where the bytes are. */
  openTransfer(
    id: string,
    input?: Body<'openTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'openTransfer'>>;
  /** The recipient has it whole; the sender is told. */
  verifyTransfer(
    id: string,
    input?: Body<'verifyTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'verifyTransfer'>>;
  /** The recipient takes it; the sender is told. */
  acceptTransfer(
    id: string,
    input?: Body<'acceptTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'acceptTransfer'>>;
  /** The recipient does not take it; the sender is told why. */
  rejectTransfer(
    id: string,
    input: Body<'rejectTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'rejectTransfer'>>;
  /** The recipient could not fetch it, however often it tried. */
  failTransfer(
    id: string,
    input: Body<'failTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'failTransfer'>>;
  /** Send the same to others; nothing is stored again. */
  shareTransfer(
    id: string,
    input: Body<'shareTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'shareTransfer'>>;
  /** Take back what its recipient has not fetched, or shall not fetch again. */
  revokeTransfer(
    id: string,
    input?: Body<'revokeTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'revokeTransfer'>>;
  /** Let go what has expired, and free its room. */
  cleanupTransfers(
    input?: Body<'cleanupTransfers'>,
    options?: WriteOptions,
  ): Promise<Answer<'cleanupTransfers'>>;
  /** Volume, count, average size, failures and storage; an agent sees its own. */
  transferMetrics(
    query?: Numbered<Query<'transferMetrics'>, 'days'>,
    options?: CallOptions,
  ): Promise<Answer<'transferMetrics'>>;
  /** A link with which a human fetches it in a browser. */
  linkTransfer(
    id: string,
    input?: Body<'linkTransfer'>,
    options?: WriteOptions,
  ): Promise<Answer<'linkTransfer'>>;
  /** A link with which a human sends one file to an agent from a browser. */
  uploadLink(input?: Body<'uploadLink'>, options?: WriteOptions): Promise<Answer<'uploadLink'>>;
  /** The links that the caller has made, and those to its upload. */
  transferLinks(
    query?: Numbered<Query<'transferLinks'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'transferLinks'>>;
  /** From now on nobody gets in by it. */
  revokeLink(
    id: string,
    input?: Body<'revokeLink'>,
    options?: WriteOptions,
  ): Promise<Answer<'revokeLink'>>;
  /** What is behind a link. */
  linkFacts(token: string, options?: CallOptions): Promise<Answer<'linkFacts'>>;
  /** Submit an operation: a goal for an agent that is made for it. */
  submitOperation(
    input: Body<'submitOperation'>,
    options?: WriteOptions,
  ): Promise<Answer<'submitOperation'>>;
  /** Your operations, the newest first; the owner sees all. */
  operations(
    query?: Numbered<Query<'operations'>, 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'operations'>>;
  /** One operation. */
  operation(operation_id: string, options?: CallOptions): Promise<Answer<'operation'>>;
  /** End an operation that is not over. */
  cancelOperation(
    operation_id: string,
    input?: Body<'cancelOperation'>,
    options?: WriteOptions,
  ): Promise<Answer<'cancelOperation'>>;
  /** What came of it; 409 until it is over. */
  operationResult(operation_id: string, options?: CallOptions): Promise<Answer<'operationResult'>>;
  /** A line for each step. With "Accept: text/event-stream" as they come: "log" (its number is the id, resumable by Last-Event-ID), "state", and "end" when it is over. */
  operationLogs(
    operation_id: string,
    query?: Numbered<Query<'operationLogs'>, 'after' | 'limit'>,
    options?: CallOptions,
  ): Promise<Answer<'operationLogs'>>;
  /** List operation artifacts; only for the original grantee. */
  artifacts(operation_id: string, options?: CallOptions): Promise<Answer<'artifacts'>>;
  /** Delete specific artifact, for good. */
  deleteArtifact(
    operation_id: string,
    artifact_name: string,
    options?: WriteOptions,
  ): Promise<void>;
  /** For one signature: a handle that is good for 15 minutes, shown this once. */
  buyToken(options?: WriteOptions): Promise<Answer<'buyToken'>>;
  /** Seal what the daemon keeps of artifacts with a new key, and destroy the old one. */
  rotateKeys(options?: WriteOptions): Promise<Answer<'rotateKeys'>>;
  /** What the file agent declares of itself, and what came later. */
  fileManifest(options?: CallOptions): Promise<Answer<'fileManifest'>>;
  /** One request to the file agent, one answer. What cannot be done, or is no request, is an answer with status "error"; the code of HTTP is for what is no JSON. */
  runFiles(input: Body<'runFiles'>, options?: ActingOptions): Promise<Answer<'runFiles'>>;
  /** Remember something under a key; what was there before is kept as a version. */
  storeMemory(input: Body<'storeMemory'>, options?: ActingOptions): Promise<Answer<'storeMemory'>>;
  /** Recall what was stored under a key, now or at another time. */
  getMemory(input: Body<'getMemory'>, options?: ActingOptions): Promise<Answer<'getMemory'>>;
  /** Find memories by what they say, the likeliest first, with what speaks for each. */
  searchMemory(
    input: Body<'searchMemory'>,
    options?: ActingOptions,
  ): Promise<Answer<'searchMemory'>>;
  /** List what is remembered, by key; long values are cut to their beginnings. */
  listMemories(
    input?: Body<'listMemories'>,
    options?: ActingOptions,
  ): Promise<Answer<'listMemories'>>;
  /** Every version that a memory has had, the newest first. */
  memoryHistory(
    input: Body<'memoryHistory'>,
    options?: ActingOptions,
  ): Promise<Answer<'memoryHistory'>>;
  /** Have a memory told to a model before all others, or no longer. */
  pinMemory(input: Body<'pinMemory'>, options?: ActingOptions): Promise<Answer<'pinMemory'>>;
  /** Have nobody told of a memory any more; its versions stay until they are purged. */
  forgetMemory(
    input: Body<'forgetMemory'>,
    options?: ActingOptions,
  ): Promise<Answer<'forgetMemory'>>;
  /** Let another agent read and search what lies under a key of yours. */
  shareMemory(input: Body<'shareMemory'>, options?: ActingOptions): Promise<Answer<'shareMemory'>>;
  /** Take back what you have shared with another agent, from the next read on. */
  unshareMemory(
    input: Body<'unshareMemory'>,
    options?: ActingOptions,
  ): Promise<Answer<'unshareMemory'>>;
  /** List what you have shared, and with whom; the owner sees all. */
  memoryShares(
    input?: Body<'memoryShares'>,
    options?: ActingOptions,
  ): Promise<Answer<'memoryShares'>>;
  /** Erase every version for good, with the journals of what has seen them; or say what that would be. */
  purgeMemory(input: Body<'purgeMemory'>, options?: WriteOptions): Promise<Answer<'purgeMemory'>>;
  /** What the search index knows, and how much of it by meaning. */
  memoryState(options?: CallOptions): Promise<Answer<'memoryState'>>;
}
