-- Operations as outsiders see them: who they are, what they signed, what they get.

-- `public_key` of a principal is empty while only the address of a grantee is known.

-- The grant under which an outsider submitted it; what came of it ends with that.
alter table operations add column grant_id text;
-- 1 where its journal is sealed with a key of its own, which is destroyed when it is over.
alter table operations add column is_sealed integer not null default 0 check (is_sealed in (0, 1));
-- Of what came with its key: another request under the same key is refused.
alter table operations add column submit_digest text;
-- What is left to be done after its end, or again: null when nothing is. operations/finish.ts
alter table operations add column finish text check (finish in ('due', 'stored', 'erased', 'again'));
-- JSON: what is told of its steps when their bodies are gone.
alter table operations add column log text;
-- Which of its limits somebody was told of, each with a space before it.
alter table operations add column alerts text not null default '';
-- Up to which event its access_log.json was written.
alter table operations add column logged_seq integer not null default 0;

create index operations_finish on operations (id) where finish is not null;
create index operations_owner on operations (owner, id);

-- What an operation has made, sealed.
create table artifacts (
  -- The name of the object in the wrap of its key.
  id text primary key,
  operation text not null references operations (id) on delete cascade,
  -- Parts of a path, with "/" between them.
  name text not null,
  -- Of the plain bytes.
  size_bytes integer not null,
  content_type text not null,
  sha256 text not null,
  -- Of the bytes as they are stored.
  hash text not null,
  stored_bytes integer not null,
  -- The key, wrapped to whoever the operation belongs to; or to the server, under `server_key`.
  wrapped_key text not null,
  server_key text,
  -- 1 where no key of this home opens it.
  e2e integer not null check (e2e in (0, 1)),
  created_at integer not null,
  expires_at integer not null,
  gone_at integer,
  gone_why text check (gone_why in ('expired', 'deleted', 'replaced')),
  -- 1 once its bytes are gone from the disk too.
  is_swept integer not null default 0 check (is_swept in (0, 1))
) strict;
create unique index artifacts_name on artifacts (operation, name) where gone_at is null;
create index artifacts_operation on artifacts (operation, created_at);
create index artifacts_expiry on artifacts (expires_at) where gone_at is null;
create index artifacts_unswept on artifacts (id) where gone_at is not null and is_swept = 0;
create index artifacts_server_key on artifacts (server_key) where server_key is not null;

-- What was signed and has come: once each.
create table seen_signatures (
  signer text not null,
  -- The SHA-256 of what was signed, and never of the signature, which has twins.
  digest text not null,
  expires_at integer not null,
  primary key (signer, digest)
) strict, without rowid;
create index seen_signatures_expiry on seen_signatures (expires_at);

-- Writes that came with a key: once each.
create table idempotent_requests (
  principal text not null,
  key text not null,
  -- Of the method, the path and the body.
  digest text not null,
  -- Null while it runs, and where it was not told how it ended.
  status integer,
  -- JSON; null where it is not kept, because it has a secret or is too long.
  answer text,
  -- The process that runs it.
  epoch integer not null,
  created_at integer not null,
  primary key (principal, key)
) strict, without rowid;
create index idempotent_requests_whose on idempotent_requests (principal);
create index idempotent_requests_age on idempotent_requests (created_at);

-- Who has had what an operation made. Word for word what ledger/events.ts asks for.
create index events_of_artifacts on events (subject, seq)
  where kind >= 'artifact.' and kind < 'artifact/';
