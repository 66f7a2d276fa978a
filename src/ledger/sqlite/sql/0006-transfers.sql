-- Bytes that are stored, who needs them, and files that go from one agent to another.

-- Every body of a transfer or an artifact. `condemned_at` is the first of the two phases in
-- which what nobody refers to goes.
create table blobs (
  hash text primary key,
  size_bytes integer not null,
  created_at integer not null,
  condemned_at integer
) strict;
create index blobs_condemned on blobs (condemned_at) where condemned_at is not null;

-- Null where it is needed until whoever refers to it is gone.
alter table blob_references add column expires_at integer;

-- What a sender has stored: found again when the same is sent once more.
create table transfer_bodies (
  id text primary key,
  sender text not null,
  -- What it is made of: the SHA-256 of the plain bytes; null where nobody can ask for it again
  -- (standard input, an upload link).
  content text,
  hash text not null,
  -- As stored.
  stored_bytes integer not null,
  file_size_bytes integer not null,
  -- Of the plain bytes.
  sha256 text not null,
  sealed integer not null check (sealed in (0, 1)),
  -- The key, wrapped to the sender; null where nothing is sealed.
  sender_key text,
  created_at integer not null,
  -- How many transfers need it now.
  holders integer not null default 0
) strict;
create unique index transfer_bodies_content
  on transfer_bodies (sender, content, sealed) where content is not null;
create index transfer_bodies_hash on transfer_bodies (hash);

-- The bytes of each sender that some transfer needs: the sum over bodies with holders.
create table transfer_usage (
  sender text primary key,
  held_bytes integer not null
) strict;

-- One row a recipient. The first thirteen columns are the ones that users know.
create table agent_transfers (
  id text primary key,
  sender text not null,
  recipient text not null,
  filename text not null,
  file_size_bytes integer not null,
  mime_type text,
  s3_key text not null,
  s3_bucket text not null default 'os1-agent-transfers',
  metadata text not null default '{}',
  status text not null default 'pending'
    check (status in ('pending', 'downloaded', 'expired', 'failed')),
  created_at integer not null,
  downloaded_at integer,
  expires_at integer,
  -- What was sent together.
  batch text not null,
  kind text not null check (kind in ('file', 'folder', 'stream')),
  -- How many files and folders a folder has.
  entries integer,
  -- Null when nothing was stored, because sending failed.
  body text references transfer_bodies (id),
  -- The key, wrapped to the recipient.
  recipient_key text,
  ack text not null check (ack in
    ('failed', 'stored', 'announced', 'fetched', 'verified', 'accepted', 'rejected', 'revoked')),
  ack_at integer not null,
  -- Why it was rejected, or failed.
  reason text,
  attempts integer not null default 0,
  -- How many bytes need not be stored, because the sender had stored them before.
  saved_bytes integer not null default 0
) strict;
create index idx_recipient_status on agent_transfers (recipient, status, created_at);
create index idx_sender on agent_transfers (sender, created_at);
create index idx_created on agent_transfers (created_at);
-- What a sender has sent lately, without a look at the rows.
create index agent_transfers_lately
  on agent_transfers (sender, created_at, recipient, file_size_bytes, batch, body)
  where body is not null;
create index agent_transfers_batch on agent_transfers (batch);
create index agent_transfers_body on agent_transfers (body);
create index agent_transfers_ending on agent_transfers (expires_at) where body is not null;
create index agent_transfers_unannounced on agent_transfers (created_at) where ack = 'stored';

-- Bytes that are on their way in. Begun again, an upload goes on where it was.
create table transfer_uploads (
  -- Another one for each who goes on with it, so that who did before is known to be over.
  id text primary key,
  -- The one before, under which its bytes may still lie.
  former text,
  sender text not null,
  content text,
  sealed integer not null check (sealed in (0, 1)),
  -- JSON: what is to be sent, to whom, under which name.
  wish text not null,
  -- The key, wrapped to the sender; null where nothing is sealed.
  sender_key text,
  -- What is held of the sender's quota.
  reserved_bytes integer not null,
  -- JSON: the process that writes it, where that is one of this machine.
  writer text,
  -- The start of the machine in which its bytes were written: after another they are not trusted.
  boot text,
  created_at integer not null,
  touched_at integer not null
) strict;
create index transfer_uploads_content on transfer_uploads (sender, content, sealed);

-- Links for humans: only the hash of what stands in them is kept.
create table transfer_links (
  id text primary key,
  token_hash text not null unique,
  kind text not null check (kind in ('download', 'upload')),
  created_by text not null,
  -- Of a download link: what is behind it. Of an upload link: the transfer that came of it.
  transfer text,
  -- Of an upload link: for whom.
  recipient text,
  -- Of an upload link: the key, wrapped to the recipient.
  recipient_key text,
  most_bytes integer,
  most_uses integer not null,
  uses integer not null default 0,
  created_at integer not null,
  expires_at integer not null,
  revoked_at integer
) strict;
create index transfer_links_transfer on transfer_links (transfer);
