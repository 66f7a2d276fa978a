-- What the file agent has been asked to change. The steps lie in plans/ID.jsonl of the home.
create table file_plans (
  id text primary key,
  principal text not null,
  -- The call that it was made for, under whose key it is taken up again.
  call_key text,
  action text not null,
  -- JSON: the request, without what confirms it.
  request text not null,
  -- Of the steps, with what each file was.
  hash text not null,
  state text not null check (state in ('planned', 'applying', 'done', 'stopped', 'undoing', 'undone')),
  -- What the owner was asked, word for word.
  prompt text not null,
  files integer not null,
  bytes integer not null,
  -- Of the token that says yes to it; null where nobody got one.
  token_hash text,
  token_expires_at integer,
  token_used_at integer,
  -- How many yeses it has, of those that it needs.
  yeses integer not null default 0,
  -- The plan that this one undoes.
  undoes text references file_plans (id),
  -- JSON: what came of it.
  outcome text,
  created_at integer not null,
  started_at integer,
  ended_at integer
) strict;
create unique index file_plans_token on file_plans (token_hash) where token_hash is not null;
create index file_plans_principal on file_plans (principal, id);
create index file_plans_unfinished on file_plans (state) where state in ('applying', 'undoing');
create unique index file_plans_call on file_plans (principal, call_key) where call_key is not null and state <> 'planned';
