-- Times are milliseconds since 1970, JSON is text.

create table agents (
  name text primary key,
  registered_at integer not null,
  last_seen_at integer,
  pid integer,
  status text not null default 'active' check (status in ('active', 'inactive', 'terminated')),
  state text not null default 'pending'
    check (state in ('pending', 'running', 'paused', 'completed', 'failed', 'terminated')),
  body text not null check (body in ('model', 'command', 'guest'))
) strict;

-- Two names that differ in case only would be one folder on many a disk.
create unique index agents_folded_name on agents (lower(name));

create table principals (
  id text primary key,
  kind text not null check (kind in ('agent', 'human', 'grantee')),
  address text not null unique,
  public_key text not null,
  created_at integer not null
) strict;

create table handles (
  hash text primary key,
  principal text not null references principals (id),
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict;

create index handles_principal on handles (principal);

create table orchestrator_state (
  key text primary key,
  value text,
  updated_at integer
) strict;

create table pending_operations (
  id integer primary key autoincrement,
  operation_type text not null,
  payload text not null,
  created_at integer not null,
  completed_at integer
) strict;

create index pending_operations_open on pending_operations (id) where completed_at is null;

-- seq, prev_hash and hash are empty until an event is sealed. On SQLite that happens in
-- the transaction that appends it.
create table events (
  id integer primary key autoincrement,
  at integer not null,
  actor text not null,
  kind text not null,
  subject text not null,
  data text,
  data_digest text,
  seq integer unique,
  prev_hash text,
  hash text
) strict;

create table event_heads (
  seq integer primary key,
  hash text not null,
  at integer not null,
  reason text not null check (reason in ('head', 'checkpoint')),
  signer text not null,
  signature text not null
) strict;

create table timers (
  id text primary key,
  kind text not null,
  subject text not null,
  payload text not null,
  due_at integer not null,
  every_ms integer,
  created_at integer not null
) strict;

create index timers_due on timers (due_at);

create table leases (
  subject text primary key,
  owner text not null,
  token integer not null,
  renewals integer not null,
  ttl_ms integer not null
) strict;
