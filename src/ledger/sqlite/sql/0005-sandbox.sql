-- Under a daemon of root, each agent has a uid of its own, which owns its folders.
alter table agents add column uid integer;

create unique index agents_uid on agents (uid) where uid is not null;
