-- Messages, who gets them, and what became of that. Nanoseconds and inodes are text,
-- because they are beyond what a number of JavaScript holds.

create table messages (
  -- The order in which messages were found, whatever the clocks said.
  id integer primary key autoincrement,
  message_id text not null unique,
  -- Who sent it: an agent, "owner", or "__orchestrator__".
  agent_name text not null,
  direction text not null check (direction in ('outbox', 'inbox')),
  -- The file that it came in, when it came in one. A name that is used again gets a stamp.
  source_name text,
  file_path text,
  file_size integer,
  file_mtime_ns text,
  file_inode text,
  checksum text,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'archived')),
  message_type text not null,
  target text not null,
  discovered_at integer not null,
  processed_at integer,
  retry_count integer not null default 0,
  last_error text,
  thread text,
  -- The message_id of the message that this one answers.
  re text,
  priority integer not null,
  event_type text,
  dedup_key text,
  receipt text,
  -- All that a recipient reads besides: headers and body as JSON and text.
  headers text not null,
  body text not null,
  size_bytes integer not null,
  expires_at integer not null
) strict;

create unique index messages_source on messages (agent_name, direction, source_name)
  where source_name is not null;
create unique index messages_dedup on messages (agent_name, dedup_key) where dedup_key is not null;
create index messages_answers on messages (re) where re is not null;
create index messages_unfinished on messages (id) where status in ('pending', 'processing');
create index messages_discovered on messages (discovered_at);

-- One row a recipient.
create table deliveries (
  id integer primary key autoincrement,
  message integer not null references messages (id) on delete cascade,
  recipient text not null,
  state text not null check (state in ('accepted', 'delivered', 'read', 'acked', 'expired', 'dead')),
  priority integer not null,
  -- Names the file in the inbox; of two deliveries the later one has the higher.
  stamp_ns text not null,
  size_bytes integer not null,
  -- The subscription through which it goes; 0 for the inbox.
  subscription integer not null default 0,
  attempts integer not null default 0,
  due_at integer not null,
  expires_at integer not null,
  -- Who is delivering it now.
  owner text,
  via text check (via in ('inbox', 'push', 'pull', 'relay', 'injected')),
  error text,
  accepted_at integer not null,
  delivered_at integer,
  read_at integer,
  ended_at integer
) strict;

create index deliveries_message on deliveries (message);
create index deliveries_waiting on deliveries (recipient, subscription, priority, id)
  where state = 'accepted';
create index deliveries_unread on deliveries (recipient, stamp_ns) where state = 'delivered';
create index deliveries_open on deliveries (expires_at) where ended_at is null;

-- What lies in a mailbox and is not read, counted, so that nobody has to count.
create table mailboxes (
  recipient text primary key,
  pending integer not null,
  pending_bytes integer not null
) strict;

create table channel_members (
  channel text not null,
  agent text not null,
  joined_at integer not null,
  primary key (channel, agent)
) strict;

create index channel_members_agent on channel_members (agent);

create table subscriptions (
  id integer primary key autoincrement,
  agent text not null,
  event_type text not null,
  -- The last message that its subscriber has worked off.
  cursor integer not null,
  created_at integer not null,
  unique (agent, event_type)
) strict;

create table streams (
  sender text not null,
  recipient text not null,
  thread text not null,
  next_chunk integer not null,
  unread integer not null,
  ended_at integer,
  updated_at integer not null,
  primary key (sender, recipient, thread)
) strict;

create table memories (
  id integer primary key autoincrement,
  owner text not null,
  scope text not null check (scope in ('context', 'working', 'long-term', 'shared')),
  key text not null,
  version integer not null,
  value text not null,
  created_at integer not null,
  -- The message, tool call or person that it came from.
  source text not null,
  superseded_at integer,
  unique (owner, scope, key, version)
) strict;

create table blob_references (
  hash text not null,
  referrer text not null,
  created_at integer not null,
  primary key (hash, referrer)
) strict;

create index blob_references_referrer on blob_references (referrer);

-- What "aos why" tells beyond the rows themselves.
create index events_of_messages on events (subject)
  where kind in ('message.retried', 'message.returned', 'message.settled', 'message.held');
