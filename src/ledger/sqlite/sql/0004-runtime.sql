-- Agents that live: what they are, what they work on, and what that may cost.

alter table agents add column parent text;
-- The principal that spawned it.
alter table agents add column spawned_by text;
-- JSON: kernel/agent-spec.ts; null for guests.
alter table agents add column spec text;
alter table agents add column state_at integer;
-- Why it is in its state, for people.
alter table agents add column reason text;
-- 'frozen' where its program is stopped and nobody has paused it.
alter table agents add column health text;
-- JSON: the program that it runs as (kernel/programs.ts), to find it again after a crash.
alter table agents add column program text;
-- JSON: the moments of its latest restarts.
alter table agents add column restarts text;
-- The tool call that spawned it: run again, it is the same agent.
alter table agents add column spawn_key text;
-- 1 for a guest that tells by heartbeats that it is there.
alter table agents add column beats integer not null default 0 check (beats in (0, 1));

create index agents_parent on agents (parent) where parent is not null;
create index agents_running on agents (name) where state = 'running';
create index agents_paused on agents (name) where state = 'paused';

-- A goal that somebody submitted, and what became of it.
create table operations (
  id text primary key,
  agent text not null references agents (name),
  -- The principal that submitted it.
  owner text not null,
  -- The operation whose agent submitted it.
  parent text references operations (id),
  goal text not null,
  -- Which agent takes it, and why.
  because text not null,
  state text not null check (state in
    ('queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled')),
  -- What it waits for while it is 'waiting'.
  waits_for text,
  priority integer not null check (priority between 0 and 9),
  due_at integer not null,
  deadline_at integer,
  -- JSON: the text of the answer, or the error.
  result text,
  created_at integer not null,
  -- When it came to be queued, from which its age counts.
  queued_at integer not null,
  started_at integer,
  ended_at integer,
  -- How many steps its journal has.
  steps integer not null default 0,
  -- 1 where it was made of messages that came for its agent.
  of_mail integer not null default 0 check (of_mail in (0, 1)),
  -- Of whoever submitted it: the same key is the same goal.
  submit_key text
) strict;

create index operations_queued
  on operations (agent, owner, priority, queued_at, id, due_at, deadline_at)
  where state = 'queued';
create index operations_open on operations (owner, id)
  where state in ('queued', 'running', 'waiting', 'paused');
create index operations_deadline on operations (deadline_at, id)
  where deadline_at is not null and state in ('queued', 'running', 'waiting', 'paused');
create index operations_ended on operations (ended_at) where ended_at is not null;
create unique index operations_submit_key on operations (owner, submit_key)
  where submit_key is not null;
create index operations_running on operations (agent) where state = 'running';
create index operations_waiting on operations (agent) where state = 'waiting';
create index operations_begun on operations (agent)
  where state = 'queued' and started_at is not null;
create index operations_agent on operations (agent, id);
create index operations_parent on operations (parent) where parent is not null;

-- The journal of an operation: kernel/journal/step.ts.
create table steps (
  operation text not null references operations (id) on delete cascade,
  seq integer not null,
  at integer not null,
  kind text not null,
  version integer not null,
  body text not null,
  primary key (operation, seq)
) strict;

-- What may be spent, is spent, and is held for what is under way: of 'agent:NAME' and of
-- 'operation:ID'. A limit that is null limits nothing. Cost in millionths of a dollar.
create table budgets (
  id text primary key,
  tokens_limit integer,
  tokens_used integer not null default 0,
  tokens_held integer not null default 0,
  cost_limit integer,
  cost_used integer not null default 0,
  cost_held integer not null default 0,
  wall_limit integer,
  wall_used integer not null default 0,
  wall_held integer not null default 0,
  tool_calls_limit integer,
  tool_calls_used integer not null default 0,
  tool_calls_held integer not null default 0,
  children_limit integer,
  children_used integer not null default 0,
  children_held integer not null default 0,
  -- JSON: what was taken out of whose budget for it, to be given back when it ends.
  taken text
) strict;
