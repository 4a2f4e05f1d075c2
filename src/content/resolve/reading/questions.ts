import { constructionsIn, plainly } from "./constructions.ts";
import { ofOffices } from "./paraphrases-of-contests.ts";

/** Markets that do not ask in one sentence. */
const OF_MARKETS = constructionsIn(String.raw`
let who = ^(who|which [\p{L}\s]{1,40}?|what)
let verb = (?<!\p{L})(will|did|has|is|was|wins?|won|be|gets?|takes?)(?!\p{L})
# "Who will win the cup? – Westmere": one of several outcomes
{who} (will|did|has|is|was) [^?]{1,300}\? *([–—-]|:) +(?<outcome>\S.*{verb}.*|{verb}.*)$ -> $<outcome>
{who} (?<aux>will|did|has|is|was) (?<rest>[^?]{1,300})\? *([–—-]|:) +(?<outcome>\S.*)$ -> $<aux> $<outcome> $<rest>
# "How many goals did X score? – 3": the number is one of several outcomes
^how (many|much) (?<counted>[\p{L}\s]{2,40}?) (?<aux>will|did|has|have|does|do) (?<event>[^?:]{1,300}?)\?? *[–—:-] *(?<count>\S.*)$ -> $<aux> $<event> $<count> $<counted>
# "Marvia CPI: will inflation be below 3 %?"
let aux = (will|did|does|has|is|was)
^(?<topic>[^:?]{2,80}): {verb:aux} (he|she|it|they) (?<asked>.+)$ -> $<verb> $<topic> $<asked>
^((?-i:\p{Lu}{2,5}) )*(?<names>(?=[^:]*(?-i:\p{Ll}))[^:?]{2,80}?)( (?-i:\p{Lu}{2,5}))*: {verb:aux} (?<asked>.+)$ -> $<verb> $<asked> in $<names>
`);

/** "win the mayoral election in Veldt" in a question: others elect the mayor. The office is that of the election. */
const OF_ELECTIONS = ofOffices(String.raw`
# Two to four names, of which none is that of a party
let person = (?-i:((?!(Party|Alliance|Union|Bloc|Coalition|Movement|Front|Democrats?|Republicans?|Greens?|Labour|Conservatives?|Liberals?|Socialists?|League)\b)\p{Lu}[\p{L}'’.-]* ?){2,4})(?<! )
let of = (the )?(?!{month}\b)(?-i:\p{Lu}[\p{L}-]*( \p{Lu}[\p{L}-]*)*)
let owned = {place}['’]s? ((?<year>\d{4}) )?{election}
let plain = (the )?((?<year>\d{4}) )?({place} )?{election}( (in|of|for) {of:of})?
# A question that asks more than who is elected stays as it is.
for all; asking ^(?!.*((?<!\p{L})(without|outright|first round|by (more|less|at|over|under)|percent|points?|margin|landslide|and)(?!\p{L})|%))
^(?<start>will {person}) (win|won) {owned} -> $<start> be elected OFFICE of $<place>[ in $<year>]
^(?<start>will {person}) (win|won) {plain} -> $<start> be elected OFFICE[ of $<of>][ of $<place>][ in $<year>]
^(did|has) {who:person} (win|won) {owned} -> was $<who> elected OFFICE of $<place>[ in $<year>]
^(did|has) {who:person} (win|won) {plain} -> was $<who> elected OFFICE[ of $<of>][ of $<place>][ in $<year>]
# "be elected mayor of Veldt in the run-off of 8 November", "in the 2026 election": the day or the year says which.
let poll = (run-?off|second round|elections?|vote|poll)
let elected = (?<= elected {office}(?!\p{L})[^,?]*) in the_
{elected}{poll} (of|on) (?=(\d{1,2} \p{L}|\p{Lu}\p{L}+ \d{1,2}(?!\d))) -> _on_
{elected}({poll} (of|in) )?(?<year>(\p{Lu}\p{L}+ )?\d{4})( (\p{L}+ )?{poll})? -> _in $<year>
`);

/** Other words of questions. */
const OTHERS = constructionsIn(String.raw`
let aux = (will|did|has|have)
let name = (?-i:\p{Lu}[\p{L}'’-]+( \p{Lu}[\p{L}'’.-]*){0,3})
(?<!\p{L})(finish|come|place) first (in|at) |(?<!\p{L})take first place (in|at)_ -> win_
^(?<who>{aux} (?!more\b)[^,]{3,60}) voted? against (?=(the|an?|its) ) -> $<who> reject_
# "40 percent of voters turn out in the election": its turnout
^{aux:aux} (?<share>.{1,60}?) of (the )?((registered|eligible) )?voters (turn(ed)? out|vote|take part|cast a ballot) (?<poll>in .+)$ -> $<aux> turnout $<poll> be $<share>
# "get approval for its drug": the drug is approved
let approval = (?<firm>.{2,60}?) (get|gotten|received?|won|win|secured?|obtain(ed)?|gain(ed)?) ((final|full|regulatory|marketing) )?approval for (its |their )?(?<thing>.+?)(?<rest> (in|by|before|on|from) .*)?$
^will {approval} -> will $<firm>'s $<thing> be approved$<rest>
^(did|has) {approval} -> was $<firm>'s $<thing> approved$<rest>
\bbe re-?elected\b -> win re-election
^(?<who>{aux} [^,]{3,60}) (decided?|opt(ed)?|choose|chosen) not to_ -> $<who> decline to_
# "former warden Silas Crewe": the name says who it is
let start = (will|did|has|is|was)
^{start:start} (the )?(former|ex-) ?((?-i:\p{Ll})[\p{L}-]* ){1,3}(?={Capital}) -> $<start>_
^{start:start} (the )?(former|ex-) ?(?-i:President|Prime Minister|Chancellor|Governor|Senator|Mayor|King|Queen) {name:name}( of {name})?(?= (?-i:\p{Ll})) -> $<start> $<name>
# The rate of a central bank has many names.
(?<= )(its|the) (benchmark|policy|key|main|base|(official )?cash|repo|overnight|selic) ((interest|lending|policy) )?rates?(?!\p{L})|(?<= )(the )?(Bank Rate|federal funds (target )?(rate|range))(?!\p{L})|(?<= (cut|raise|hike|lower|reduce|increase|change) )rates(?!\p{L}) -> interest rates
(?<={Capital}[\p{L}\d]*) \(\$?(?-i:[A-Z]{2,6})\) ->
\b(CPI|HICP|headline) (?=inflation\b) ->
_?\(?\b(year[\s-]o(ver|n)[\s-]year|YoY|y\/y)(\)|\b) ->
make its (first|maiden|inaugural) ((orbital|test) )?flight(?<=(rocket|launcher|launch vehicle|booster).*) -> launch
# "Will X be the next mayor of Denby": others choose who becomes it.
^(?<who>(will|is) .{3,80}?) (going to )?be(come)? the (next|new)_ -> $<who> become the_
# "Holm out as chief executive by June?", "be out as chief executive", "no longer be chief executive"
let office = ([\p{L}-]+ ){0,3}?(chief executive|CEO|chair\p{L}*|president|premier|minister|chancellor|mayor|governor|leader|head|coach|manager|captain|director|speaker|secretary)(?!\p{L})
^(?<who>(?!(will|is) )[^,?]{2,60}?) out as (the )?(?={office}) -> will $<who> leave office as_
# "Chief Executive Tom Varga leave Orbis"
^{aux:aux} (its |the )?(?<role>(?-i:[Cc]hief [Ee]xecutive|CEO|[Pp]resident|[Hh]ead [Cc]oach|[Cc]oach|[Mm]anager|[Cc]hairman|[Cc]hair)) {who:name} (leave|quit|exit|depart) (?<firm>{Capital}[\p{L}'’-]*) -> $<aux> $<who> leave office as $<role> of $<firm>
^(?<who>{aux} .{2,60}?) (((be|been) (out|gone)|leave|left|depart(ed)?|exit(ed)?) as |(cease to|no longer|stop) be(ing)? )(the )?(?={office}) -> $<who> leave office as_
# "still be chief executive on 30 June": the holder of an office has not left it.
^(will|did|is|was|does) (?<who>.{2,60}?) (still be|be still|still|remain|stay( on)?( as)?|continue (as|to be)) (the )?(?<role>{office}( (of|at|for) [^,?]{2,60}?)?) (on|through|until|as of|at|by) (?=[^,]{0,20}\d) -> will $<who> not leave office as $<role> by_
# "before the transfer window closes on 1 September": the day is the deadline.
(?<!\p{L})before [^,?]{2,60}? (closes|ends|opens|begins|starts|expires|meets|convenes|adjourns) on_ -> before_
(?<=\b(resume|restart|suspend|halt) )(services?|operations?)(?= (by|before|in|on) |$) ->
^(?<who>(will|is|was) .{3,80}?)( (going to )?be)? (?<party>(the ([\p{L}-]+ ){0,3}?|(the )?{Capital}[\p{L}\s-]{2,40}['’]s? ([\p{L}-]+ ){0,2}?))(candidate|nominee)(?!\p{L}) -> $<who> become $<party>candidate
# "the mayor of Dunmere, Orla Kemp, …", "Orla Kemp, the mayor of Dunmere, …": the name says who it is.
(?<!\p{L})the [^,]{3,60}, {one:name}, (?!(and|or) )|{other:name}, the [^,]{3,60}, (?!(and|or) ) -> $<one>$<other>_
`);

/** A question in plain words: one sentence, with the verbs and names that sentences have. */
export function inPlainWords(question: string): string {
  return [OF_MARKETS, OF_ELECTIONS, OTHERS].reduce(
    (text, constructions) =>
      constructions.reduce(
        (plain, one) => (one.asks?.test(text) === false ? plain : plainly(plain, one, () => true)),
        text,
      ),
    question,
  );
}
