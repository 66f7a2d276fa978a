-- Memories as versions that were true for a while, with who wrote them and where they came from.
create table memories_with_validity (
  id integer primary key autoincrement,
  -- 'owner', 'agent:NAME', or 'shared'.
  owner text not null,
  scope text not null check (scope in ('context', 'working', 'long-term', 'shared')),
  key text not null,
  version integer not null,
  -- As it was stored, word for word; JSON where is_json says so.
  value text not null,
  is_json integer not null default 0 check (is_json in (0, 1)),
  -- Of the value and all that it says of itself, so that the same is not stored twice.
  hash text not null,
  -- JSON: a list.
  tags text not null default '[]',
  thread text,
  author text not null,
  -- The message, tool call, operation or person that it came from.
  source text not null,
  created_at integer not null,
  valid_from integer not null,
  valid_to integer,
  -- The version before it.
  supersedes integer,
  expires_at integer,
  pinned integer not null default 0 check (pinned in (0, 1)),
  forgotten_at integer,
  unique (owner, scope, key, version)
) strict;

insert into memories_with_validity (id, owner, scope, key, version, value, hash, author, source,
  created_at, valid_from, valid_to)
select id, owner, scope, key, version, value, '', owner, source, created_at, created_at, superseded_at
from memories;

drop table memories;
alter table memories_with_validity rename to memories;

create index memories_open on memories (owner, scope, key) where valid_to is null;
-- To find the version that begins then, and the next one.
create index memories_beginning on memories (owner, scope, key, valid_from);
create index memories_source on memories (source);
create index memories_thread on memories (owner, scope, thread, id) where thread is not null;
create index memories_expiry on memories (expires_at) where expires_at is not null;
-- To see quickly whether somebody remembers anything but what came of runs.
create index memories_own on memories (owner, scope) where author <> 'system' and forgotten_at is null;
create index memories_pinned on memories (owner, scope) where pinned = 1;

-- What the search index has yet to hear of: the last change of each memory, also of one that is
-- gone.
create table memory_changes (
  seq integer primary key autoincrement,
  memory integer not null unique
) strict;

insert into memory_changes (memory) select id from memories order by id;

-- Which calls and operations have seen a memory, or made it: what has to go with it when it is
-- purged.
create table memory_uses (
  memory integer not null,
  -- 'operation:ID', 'tool-call:ID' or 'message:ID'.
  user text not null,
  primary key (memory, user)
) strict, without rowid;
create index memory_uses_user on memory_uses (user);
