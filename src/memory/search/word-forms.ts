/**
 * Forms of a word that have no letters in common to go by: whoever asks "when did she go" finds
 * "I went". What only the end of a word changes (`walk`, `walked`) the index joins by itself.
 */
const groups = `
  become becomes became|begin begins began begun|bend bent|bite bit bitten|blow blew blown
  break broke broken|bring brings brought|build built|burn burnt|buy buys bought|catch caught
  choose chose chosen|come comes came|cost costs|creep crept|deal dealt|dig dug|draw drew drawn
  dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed
  feel feels felt|fight fought|find found|flee fled|fly flew flown|forget forgot forgotten
  forgive forgave forgiven|freeze froze frozen|get gets got gotten|give gave given
  go goes went gone|grow grew grown|hang hung|hear heard|hide hid hidden|hold held|keep kept
  kneel knelt|know knew known|lay laid|lead led|lean leant|learn learnt|leave left|lend lent
  light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken|pay pays paid
  ride rode ridden|ring rang rung|rise rose risen|run ran|say says said|see sees saw seen
  seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot
  show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept
  slide slid|smell smelt|speak spoke spoken|spell spelt|spend spent|spill spilt|spin spun
  spring sprang sprung|stand stood|steal stole stolen|stick stuck|sting stung|strike struck
  strive strove striven|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung
  take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown
  understand understood|wake woke woken|wear wore worn|weep wept|win won|wind wound
  withdraw withdrew withdrawn|write wrote written
  child children|foot feet|goose geese|life lives|knife knives|man men|mouse mice
  person people|shelf shelves|thief thieves|tooth teeth|wife wives|wolf wolves|woman women`;

const formsByWord = new Map(
  groups
    .split(/[|\n]/)
    .map((group) => group.trim().split(' '))
    .flatMap((forms) => forms.map((form) => [form, forms] as const)),
);

/** The word itself, and whatever else it may stand as. */
export function formsOf(folded: string): readonly string[] {
  return formsByWord.get(folded) ?? [folded];
}
