/** Words and turns of speech that say nothing of which files are meant. */
import type { Sentence } from '../../kernel/language/cursor.ts';
import { phrases, wordSet } from '../../kernel/language/phrases.ts';

const fillers = wordSet(`
whatever earlier own weigh owns possess a an the my our your his her their me i we us you it its they
them these those this that which who whose what is are was were be been being am do does did have has
had can could would will shall should might must please all any every each both of for to in on at by
with and or as from into onto out up off so there here than then also too just now about if how much
many when where why file files folder folders directory directories thing things stuff item items one
ones everything anything something entire whole currently really actually got get received saved
stored located taking take takes using use uses used occupying occupy space room storage kept come
came sit sitting lying lie live exist left found thanks thank name names called named contents content
total altogether overall size big large result results myself somewhere anywhere inside within under
still yet ever again right want need like know tell give kind kinds type types mine via downloaded
modified changed edited updated created made taken shot added written opened touched go goes going
belong belonging put placed having only disk drive computer quickly everywhere along recently
remaining present consuming consume hogging eating filling wasting took change modify edit touch
recent download downloads subfolder subfolders subdirectory subdirectories recorded filmed around
overview summary exact data contain contains wrote working sent gave emailed help phrase make save
normal regular ordinary camera`);

/** Of people who talk; never what is looked for, and never passed over where something is changed. */
const chatter = wordSet(`
reckon guess suppose think thought believe remember recall wonder maybe perhaps probably possibly
already lately basically literally anyway honestly simply exactly roughly nearly almost quite rather
pretty very extremely create write happen happened happening seem seems appear whatever whichever
wherever bit lot lots bunch guys mate buddy folks cheers ta thx ty btw fyi hm hmm umm uh oh ah lol wow
sorry hopefully sure obviously apparently somehow whether hold holds held keep keeps include includes
included including available visible various different several certain specific particular relevant
somewhere together instead though although because while wondering curious able possible interested
supposed trying display entries entry handful listing show shows find check nowadays presently ago
related relating regarding concerning pertaining occupied consumed eaten hogged writing talking hiding
yeah yep pls plz plss u ur gonna wanna gotta kinda sorta asap receive worked getting let appreciate
kindly been seen say says said tend look looks looking hello hi hey ok okay`);

/** In a request that changes something each of these would change which files are meant. */
const telling = wordSet(`
not never unless except but without nor some few most half other others rest old new recent only large
big remaining again yet recently change modify edit touch took them these those it one if when where
contents content name names size up or subfolder subfolders subdirectory subdirectories recorded
filmed wrote working sent gave emailed help phrase make save normal regular ordinary camera need want
like know use uses used using own owns possess received earlier could would might both many much
something taking take takes occupying occupy space room storage result results via his her there how
why consuming consume hogging eating around overview summary exact data contain contains filling
wasting mine ever still their its total altogether overall in inside within under on`);

/** Of when or by whom: without a date they would choose files that cannot be told apart. */
const participles = wordSet(
  'modified changed edited updated created made taken shot added written opened touched',
);

/** How something is: `mostly`, `currently`, `permanently`; and what only looks so. */
const manner = /^[a-z]{4,}ly$/;
const nouns = wordSet(`
family assembly supply reply butterfly italy monopoly anomaly quarterly weekly monthly daily yearly
friendly elderly disorderly melancholy kimberly beverly`);

export function isChatter(word: string): boolean {
  return chatter.has(word) || (manner.test(word) && !nouns.has(word));
}

export function isParticiple(word: string): boolean {
  return participles.has(word);
}

export function isFiller(word: string): boolean {
  return fillers.has(word);
}

export function isTelling(word: string): boolean {
  return telling.has(word) || participles.has(word) || !fillers.has(word);
}

const smallTalk = phrases(`
at (the|this) moment, at present, as of now, right (now|away), these days, so far, by any chance
by the way, for some reason, at all, if any, in total, all in all, in general, as well, all together
(to|for) me, (in|as) a list, in one go, one by one, if you can, if possible
(a handful|a number|an overview|a summary|a selection) of, (can|could) you find, can you see
you can find, do you (see|find), (could|can|should) i get rid of, to get rid of
(if|whether) there (is|are), (if|whether) i [still] have, (lying|floating) around
no matter (where|how old|what), as soon as you can, in question
[sorted|sort|grouped] by type, [sorted] by kind, [that] i no longer (need|use)
one more time, once (more|again), first of all, to be honest, of course, [just] list them
show them to me, a quick look at, [along] with [their] sizes, with their dates, with details
and their sizes, and how big they are, if there are any, (a|the) [full|complete] list of`);

/** Taken out only where something is looked at. */
export function takeSmallTalk(sentence: Sentence): void {
  sentence.takeAll((cursor) => cursor.take(smallTalk));
}

const gatherings = wordSet('collection collections library format formats');

/** `my music collection`, `files in PDF format`: behind a kind of files it says no more. */
export function takeGatherings(sentence: Sentence): void {
  sentence.takeAll((cursor) => {
    const isBehind = cursor.at > 0 && !sentence.isFree(cursor.at - 1);
    if (!isBehind || !gatherings.has(cursor.word ?? '')) return undefined;
    cursor.at++;
    return true;
  });
}
