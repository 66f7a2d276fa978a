-- Who may do what, what was done by tools, who was asked, and what is kept secret.

create table grants (
  id text primary key,
  -- Who holds it: "agent:NAME", or another principal.
  principal text not null,
  -- In the canonical spelling.
  capability text not null,
  -- The grant that it was delegated from.
  parent text references grants (id),
  granted_by text not null,
  origin text not null check (origin in ('default', 'owner', 'delegation', 'approval')),
  -- 1 where every use has to be approved by a human.
  asks integer not null default 0 check (asks in (0, 1)),
  created_at integer not null,
  revoked_at integer,
  -- How often it was used, where that is limited; a delegation counts for those above it.
  uses integer not null default 0,
  -- JSON: the latest uses by stretches of time, where a rate limits them.
  recent text
) strict;

create index grants_principal on grants (principal) where revoked_at is null;
create index grants_parent on grants (parent) where parent is not null;

-- What an agent asked for and what came of it, one row a step.
create table journal (
  id integer primary key autoincrement,
  call_id text not null unique,
  principal text not null,
  tool text not null,
  effect text not null check (effect in ('read', 'write', 'external')),
  -- 1 where a second run under the same key has no second effect.
  repeatable integer not null check (repeatable in (0, 1)),
  state text not null check (state in
    ('waiting', 'started', 'answered', 'failed', 'denied', 'unsure')),
  -- Given by the caller, or made for the call; the same key is the same call.
  idempotency_key text not null,
  arguments text not null,
  arguments_digest text not null,
  -- JSON: the result, or the error.
  result text,
  result_bytes integer,
  asked_at integer not null,
  started_at integer,
  ended_at integer,
  runs integer not null default 0,
  unique (principal, idempotency_key)
) strict;

create index journal_open on journal (id) where state in ('waiting', 'started', 'unsure');
create index journal_principal on journal (principal, id);

create table approvals (
  id text primary key,
  call_id text not null,
  -- Who asks.
  principal text not null,
  tool text not null,
  -- Why a human is asked.
  reason text not null,
  -- What the human is shown, and its hash, which the answer has to name.
  shown text not null,
  hash text not null,
  state text not null check (state in ('waiting', 'approved', 'denied', 'expired')),
  asked_at integer not null,
  expires_at integer not null,
  answered_at integer,
  answered_by text,
  answer text,
  scope text check (scope in ('once', 'always'))
) strict;

create index approvals_waiting on approvals (expires_at) where state = 'waiting';
create index approvals_call on approvals (call_id);

-- The value is sealed with keys/secrets.key.
create table secrets (
  name text primary key,
  sealed blob not null,
  -- Where a request may carry it; null where none may.
  host text,
  port integer,
  header text,
  prefix text not null default '',
  created_at integer not null,
  updated_at integer not null
) strict;

-- Every agent that there is may go on sending messages.
insert into grants (id, principal, capability, granted_by, origin, created_at)
  select lower(hex(randomblob(16))), 'agent:' || name, 'message:*:send', 'system', 'default', registered_at
  from agents;
