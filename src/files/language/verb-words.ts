/** The words for each thing to do, as data: the longest that fits is meant. */
import { phrases, phraseTable } from '../../kernel/language/phrases.ts';

/** What is asked for. `find` and `list` both look; the rest of the sentence says by which action. */
export type Verb = (typeof verbs)[number];

const verbs = [
  ...(['list', 'find', 'write', 'move', 'copy', 'rename', 'delete'] as const),
  ...(['read', 'count', 'usage', 'details'] as const),
] as const;

const table = phraseTable(`
delete:
  get (rid|shot) of, (throw|chuck|toss) (away|out), dispose of, do away with, eliminate
  (kill [off]|scrap|zap) (all|the|every|any|those|these|my|everything), (clear|clean) out
  delete, deleting, deleted, remove, removing, removed, trash, trashing, trashed, erase, erasing
  erased, bin, discard, wipe, destroy, purge, clear, nuke, shred, dump, ditch, toss, empty, rm
rename:
  change the (name|names) of, rename, renaming, renamed, re-name, call, retitle, number, prefix
  add [the|a] (prefix|suffix), replace [the|all] spaces, (change|make) [all] [the] (file names|filenames)
  change all names, make (all [the]|the) names, change, add, lowercase, uppercase, give
copy:
  make [me] a copy of, make copies of, (save|keep|create|take|store|put|place) a copy of, a copy of
  copies of, (create|take|save|make) a backup of, make duplicates of, (make|create) a duplicate of
  back up, backup, copying, copied, copy, duplicate, clone, cp
move:
  move, moving, moved, put, shift, transfer, relocate, drag, stick, drop, stash, tuck, take, throw
  send, chuck, place, shove, bring, carry, migrate, mv
write:
  write [down], create, make, save, jot down, note down, start, [a] new [text] file, [a] new note
  a blank file
usage:
  how much [free] (disk space|storage|space|room|storage space), how much (disk is|memory|do|does), du
  how much of [my disk|my drive|my storage]
  where (has|did) all my (space|disk space|storage|room) (gone|go)
  where (is|does all) my (space|disk space|storage|room) (going|go), where is all my space
  how is my (disk space|storage), is [there] a lot of space used by
  what (portion|share|percentage|part) of, how many (gigabytes|megabytes|kilobytes|terabytes|bytes)
  how many (gb|gbs|mb|mbs|gigs|megs), how (big|large|heavy|full) [is], [what is the] [total] size of
  what is the combined size of, sizes of the folders in, [what are the] sizes of
  (disk|storage) usage, space used by, measure, what size (is|are)
  what is (using|taking|clogging|eating) [up], what (takes up|uses), what is (hogging|wasting|filling up)
  (which|what) (file types|types of files|kinds of files|kind of files|type of files) (take|use|eat)
find:
  (bring|pull|dig|look) up, (pull|dig) out, point me to, search [in|through|for]
  look (for|in|inside|through), go through, grep [for], check (whether|if) [there is|there are]
  check [for], hunt (for|down), track down, find [me|out], locate, where (is|are)
  where (did i|have i) (put|save|saved|store), where can i find, where do i (keep|have), what about
  which, is there, are there, do i have, have i got, did i, get [me], fetch, looking for
  i am (looking for|trying to find|searching for|after), i can not find, i seem to have lost
  i [have] (lost|misplaced)
count: how many, count, number of
details:
  [the] size and (date|type|age|dates|modification date) of, (date|type) and size of
  when (was|were|did i), when, what (kind|type|sort) of file [is], what file type is, what type is
  what is the file type of, exif (data|info) (of|for|from|in), exif of, metadata in
  tell me (more|everything) about, what can you tell me about, what do you know about, tell me about
  [what is the|what are the] (resolution|dimensions|permissions|format|file format|file type) of
  what is the date (on|of), what [file] format is, what resolution (is|does), how many pixels [does]
  [file] (info|information|details|metadata|properties|stats) (of|for|about|on), describe
  how old [is|are], how long (is|are|ago), how recently, who (owns|made|wrote|created)
  [what is the] (creation|modification) date of, (which|what) camera, [who is the] owner of, what time
read:
  [the] (contents|content) of, [the] text (of|in), what (did i write|have i written|is written) in
  what does, read [me|out], open [up], cat, print out the contents of
list:
  (give me|show me|make) a list of, a list of, list, show [me], display, what is [in|inside|on]
  what are, what do i have, what (have|did) i, what, give me, gimme, (have|take) a look at, look at
  sort, arrange, order, calculate, compute, determine, (work|figure) out, tell me, let me see, see
  view, browse, ls, print
`);

/** By its phrase. */
export const verbOf: ReadonlyMap<string, Verb> = new Map(
  verbs.flatMap((verb) =>
    table
      .filter(([name]) => name === verb)
      .flatMap(([, { all }]) => all.map((phrase) => [phrase, verb] as const)),
  ),
);
export const verbPhrases = phrases([...verbOf.keys()].join(','));

/** Before what is asked for, and no part of it. */
export const polite = phrases(`
i would (like|love) to (know|see), i would appreciate [it if you [could]], i would be happy to
i am (interested in|curious|wondering), i was wondering [if you could], i (wish|want|need) to
i want to (see|know), (can|could|may) i [have|get], let (me|us), i would (like|love) [to|you to]
i (want|need) [you to], any idea, any chance you could, would you be able to, are you able to
is it possible to, would it be possible to, could you possibly, when you (have a moment|get a chance)
if you do not mind, if possible, if you can, for me, good (morning|evening), mate, dear, alright, right
well, um, quick question, do you (know|mind), to know, pls, plz, (can|could|would) (u|you), will you
can we, hey [there], yo, do me a (favour|favor) and, need [a], please, kindly, hi, hello, ok, okay
now, just, quickly, then, help me [to], go ahead, go and, be so kind as to, would you mind, try to
and, so, also, i wonder, let me know, i should, you (should|can), agent, computer, file agent, thanks
thank you, to, quick, i would be grateful if you could, feel free to`);
