import { type Construction, constructionsIn } from "./constructions.ts";

const PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const TOPS = "one two three four five six seven eight nine ten".split(" ");

/** "finished third" for "finish in the top four", by the number of the question. */
const RANKS = TOPS.flatMap((top, at) =>
  constructionsIn(String.raw`
    let ended = (finished|came|placed|ended) (in )?
    for all; asking \btop (${top}|${at + 1})\b
    {ended}(${PLACES.slice(0, at + 1).join("|")})( place)?\b -> finished in the top ${top}
    {ended}(${[...PLACES.slice(at + 1), "last"].join("|")})( place)?\b -> did not finish in the top ${top}
  `),
);

/** The rounds of a knockout, from the first one on. */
const ROUNDS = [
  "((first|second|third|fourth|opening|group|preliminary|qualifying) (rounds?|stages?|phase))",
  "((round|last) (of )?(64|32|16|sixteen))",
  "(quarter-?finals?|last eight)",
  "(semi-?finals?|last four)",
  "final",
];

/** "was beaten in the quarter-finals" for "reach the semi-finals". */
const KNOCKOUTS = ["last 16", "quarter-finals", "semi-finals", "final"].flatMap((next, at) =>
  constructionsIn(String.raw`
    let out = in (the|a) (${ROUNDS.slice(0, at + 1).join("|")})\b
    for all; asking \breach (the|a) ([\p{L}-]+ )?${ROUNDS[at + 1] ?? ""}\b
    {start}{who:name}['’]s? (run|campaign|journey|adventure) (at|in) {cup:name} (ended|came to an end|was ended|finished) {out} -> $<who> did not reach the ${next} of $<cup>
    ((was|were|been|is|are) (knocked out|eliminated|beaten|defeated|dumped out|out)|lost|(went|goes) out|bow(ed|s) out|crash(ed|es) out|fell) ((to|by|against) {name} )?([\d–-]+ )?{out} -> did not reach the ${next}
  `),
);

/** Constructions about who wins, or goes up or down. */
const WINS = constructionsIn(String.raw`
let title = (title|championship|crown|trophy|cup|promotion|victory|prize|award|medal|gold)
for all; asking \ba medal\b
(?<=(won|wins|took|takes|claimed|earned) )(an? |the )?(gold|silver|bronze)\b( medal)? -> a medal
# "Best Actress went to Lena Okoro"
for win, win award
{start}{prize:words} {has}(went|goes|gone) ((on|in|at) [^,;.]{2,24}? )?to {winner:name} -> $<winner> won $<prize>
(won|wins|picked up|picks up|took home|takes home|collected|collects|received|receives|scooped|claimed|claims|landed|earned) (the|a) (?!runner|second|third|consolation)(?-i:([\p{Ll}-]+ ){0,2}?(prize|award|trophy|honou?r)) for (?={Capital}) -> won_
(was|is|has been) (named|voted|crowned|declared|chosen as) (?=(the |\d{4} )*{Capital}) -> won_
# "were crowned Harvest Cup champions", "A late header gave Westmere the Harvest Cup"
((are|is|were|was|has been|have been) (crowned|named|declared)|are|is|became) (the )?(?<cup>(\d{4} )?{Capital}[^,;.]{2,50}?) champions?\b(?! {Capital}|['’-]) -> won the $<cup>
^.*? gave {who:name} (?=the ((?!(of|in|for|to|at) )[\p{L}\d-]+ ){0,4}?{title}\b(?! (final|semi|match|game|holders?))) -> $<who> won_
(claim(s|ed)|collected|bagged|landed) (?=(the|their|its|her|his) ((?!(of|in|for|to|at) )[\p{L}\d-]+ ){0,4}?{title}\b(?! (final|semi|match|game|holders?)|[^,.;]* (was|is|were|are|had|has|have|would|will|should|belong\p{L}*)\b)) -> won_
# "were knocked out of the cup", "was beaten in the quarter-finals of the open"
for win, win award; asking \bwin\b
((was|were|been|are|is) (knocked out|eliminated|dumped out)|crash(ed|es) out|bow(ed|s) out|withdrew|pulled out) (of|from) (?=the ) -> lost_
for win, win award
(was|were|been|is|are) (beaten|defeated) (by {name} )?in the (semi-?finals?|quarter-?finals?|(first|second|third|fourth) round|final) (of|at)_ -> lost_
# "The committee has decided to award the prize to Lena Okoro"
{start}{words} {has}((decided|voted|chosen) to )?(award(ed|s)?|gave|given|presented|conferred) (?<prize>(the|its) [^,;.]{3,60}?) (to|(?<=conferred.*)on) {winner:name} -> $<winner> won $<prize>
# "The electoral commission declared Irena Vasko the winner of the election", "The winner of the cup is Velmoor"
for win, win award, elect
{start}the ((central|national|federal|independent|state) )?elect(oral|ions?) (commission|authority|board|committee) {has}declared {winner:name} (as |to be )?the winner (of|in)_ -> $<winner> won_
for win, win award
{start}the (winner|champion) (of|at) {prize:words} (is|was) {winner:name} -> $<winner> won $<prize>
(lost out|loses out) (to {name} )?(for|on|in)_ -> lost_
for win, win award, elect
{start}{loser:name} (was|were|has been) (beaten|defeated) by {winner:name} -> $<winner> beat $<loser>
for win, win award
{start}{loser:name} {has}(lost|loses) ([\d,\s-]+ )?to {winner:name} -> $<winner> beat $<loser>
(came|comes|finished|finishes|placed) (second|third|fourth|fifth|last|\d+(nd|rd|th)) (in|at)_ -> lost_
seal(s|ed) (?=(the|an?|their|its|his|her) ([\p{L}\d-]+ ){0,4}?{title}\b) -> won_
for win, elect; asking \bre-?elect
won (an?|another|her|his|their) ([\p{L}-]+ ){0,2}?term\b|(was|been|is) re-?elected( (as )?(mayor|president|governor|senator|chancellor|prime minister|leader|chair))? -> won re-election
{start}{voters:words} {has}returned {who:name} to (office|power) -> $<who> won re-election
{start}{rival:name} {has}(unseat(s|ed)) {who:name} -> $<who> lost re-election to $<rival>
(was|been|is) (unseated|voted out|(defeated|beaten)(?= by ))|conced(es|ed) (defeat|the (race|election))\b -> lost re-election
for win, win award; asking \bwithout a run-?off
in (the|a) first (round|vote)\b(,? avoiding a run-?off)?|outright\b -> without a runoff
for all; asking \bbecome .*\bcandidate\b
(w[io]ns?|secure[sd]?|clinch(es|ed)|captured?|captures) (?<party>(the|their|its) ([\p{L}'’-]+ ){0,4}?)nomination\b -> became $<party>candidate
for all; asking \bpromoted\b
(won|wins|secured|secures|earned|clinched|sealed|gained) promotion\b -> was promoted
# "chose Bellamy as their mayor"
for elect
(chose|chooses|picked|picks|elected|elects|selected|selects) {who:name} (as|to be) (their|its|the) (next |new )? -> elected $<who>_
for win, win award, elect
conced(es|ed) (defeat (in|at) |(?=(the|a) ([\p{L}-]+ ){0,3}?(race|election|contest|run-?off)\b)) -> lost_
(swept|romped|stormed|cruised|sailed|strolled|surged|coasted|powered|raced|eased) to (an? ([\p{L}-]+ ){0,2}?)?(victory|win|triumph) (in|at)_ -> won_
# "Petr Dolan defeated Irena Vasko in the election"
for win, win award, elect; asking ^(?!.*\b(beat|defeat))
(beat(s|en)?|defeat(s|ed)|overcame|ousted|edged( out)?|outpolled|trounced|thrashed|unseated) (?!by ){name}( by [^,;]{2,30}?| \d[\d\s,–-]*)? (to win|(in|for)(?=[^,;.]{1,60}?\b(elections?|votes?|race|run-?off|ballot|contest|primary|referendum|seat|leadership|presidency|nomination|final|decider|match|game|fight|bout|derby|duel|play-?off)\b)) (?=(the|an?|(?-i:\p{Lu}[\p{L}-]*['’]s)) ) -> won_
# "missed the play-offs", "failed to qualify for the final", and not "the final whistle"
let whole = (?=[.,;:]|$| (of|by|on|in|at|after|for|with|against|and|when|last|this|next|because|despite|since|as|following|amid|but) )
for arrive, qualify; asking \b(reach|qualify|advance)\b
(miss(ed|es) (out on )?|fail(ed|s) to (reach|make|qualify for) |f[ae]ll(s)? short of )(?=(the |their )?([\p{L}\d-]+ ){0,3}(play-?offs?|finals?|semi-?finals?|quarter-?finals?|round|tournament|knockouts?|cup){whole}) -> did not reach_
for arrive; asking \breach\b
{has}(qualified for|(advance[sd]|progress(ed|es)|marched|cruised|went through|goes through|(is|are|was|were) through) (in)?to|booked (a|their|her|his|its) (place|spot|berth) in|made) (?=(the )?([\p{L}\d-]+ ){0,3}(play-?offs?|finals?|semi-?finals?|quarter-?finals?|last (16|four|eight)){whole}) -> reached_
for relegate
(dropped|went down|fell) (out of|from)_ -> was relegated from_
^.*?(confirmed|sealed|completed) {who:name}['’]s? relegation\b -> $<who> was relegated
(secured|sealed|kept|preserved|guaranteed) (their|its) (place|spot|status|survival) in |(survived|stayed up) in |(avoided|escaped) relegation from_ -> stayed up in_
for nominate
(named|nominated|picked|chose|selected) {who:name} (as ((his|her|the|its|a) )?nominee )?(for|to)_ -> nominated $<who> to_
for break
(missed|misses|fell short of|falls short of) (?=(the|an?|her|his|their) ([\p{L}'’-]+ ){0,4}?record\b) -> did not break_
# "took 32 seconds off the record"
(took|takes|shaved|shaves|sliced|knocked|cut) [^,;.]{3,40}? off (?=(the|an?|her|his|their) ([\p{L}'’-]+ ){0,4}?record\b) -> broke_
for all; asking \breach the final\b
(was|were|been) (eliminated|knocked out)(?=[.,;]|$| (in|at|by|on|after) (?!the final\b)) -> did not reach the final
for all; asking \bpromoted\b
(missed|misses) (out on )?promotion\b -> was not promoted
# "headed in the winner", "bagged a brace"
for score
((headed|heads|volleyed|volleys|fired|fires|slotted|slots|tapped|taps|curled|curls|drilled|drills|poked|pokes|bundled|bundles|powered|rolled|lashed) (in|home)\b|(netted|nets|bagged|bags|grabbed|grabs|struck|hit|got|notched) ((the|an?|his|her|two|three) ([\p{L}-]+ ){0,2}?(goals?|winner|equali[sz]er|opener|brace|hat-trick)|twice)\b) -> scored
# A draw decides a match of a league, and no final.
for all; asking ^(?!.*\b(final|cup|play-?offs?|round|tie|penalties)\b).*\b(beat|defeat)\b
{start}{one:name} (and {two:name} drew(?= \d+ ?[-–] ?\d|[.,;]| on )|drew with {three:name}|were held (to a [\d–-]* ?draw )?by {four:name})(?!.*\bhalf-?time) -> $<one> did not beat $<two>$<three>$<four>
for all; asking \b(beat|defeat)\b
# "are the holders after a 2-1 victory over Thornby"
{start}{winner:name}(?<!['’]s?) (is|are|was|were|became|stay(ed|s)?|remain(ed|s)?|reached|lifted|retained|won|claimed|clinched|sealed|climbed|moved|went|began|opened|ended)\b{letter}{0,60}? (after|following|with|thanks to|through) (an?|their|its|his|her) ((?-i:[\d–-]+|\p{Ll}[\p{Ll}-]*) ){0,3}?(?<!\b(first|last|earlier|previous|recent) )(win|victory|triumph) (over|against)_ -> $<winner> beat_
ran out ([\d–-]+ )?winners (against|over)_ -> beat_
{start}{one:name} (went down|slumped|slipped|crashed) ([\d–-]+ )?(at|to|against) {other:name}(?!.*\b(but|before|until)\b) -> $<other> beat $<one>
for win, win award
(came|comes|finished|finishes|placed) first (in|at) |took first place (in|at) |(lift|lifts|lifted|hoisted|raised) (?=the ({Capital}[\p{L}-]* ){1,3}(cup|trophy|shield|title)\b) -> won_
(is|are) the (?<cup>(\d{4} )?{Capital}[^,;.]{2,50}?) (winners?|champions?)(?=[.,;]|$) -> won the $<cup>
for win, win award; asking \b(league|world|national|european|state)( \p{L}+)? (title|championship)\b
(are|were|is|was|became|have been crowned|has been crowned|were crowned|was crowned) (the )?(?<cup>league|world|national|european|state) champions?(?=[.,;]| (on|after|for|with|again) |$) -> won the $<cup> title
for win, win award; asking \bwin\b
(lost|loses) ([\d–-]+ )?to {name} (on \p{L}+ )?in (?=(the|(?-i:\p{Lu}\p{L}+day['’]s)) ({Capital}[\p{L}-]* ){1,3}final\b) -> lost_
`);

/** Offices that people elect, with the adjective and the noun of their elections. */
const OFFICES = [
  ["president", "presidential", "presidency"],
  ["mayor", "mayoral", "mayoralty"],
  ["governor", "gubernatorial", "governorship"],
] as const;

/** Constructions in which each office stands for "office". */
export function ofOffices(table: string): readonly Construction[] {
  return OFFICES.flatMap(([office, adjective, noun]) =>
    constructionsIn(String.raw`
      let office = ${office}
      let adjective = ${adjective}
      let vote = (elections?|race|run-?off|contest|vote|ballot|second round)
      let election = (${noun}|${adjective} {vote})
      let month = (January|February|March|April|May|June|July|August|September|October|November|December)
      let place = (?!{month}\b)(?-i:(?<place>\p{Lu}[\p{L}-]*( \p{Lu}[\p{L}-]*){0,2}))
      ${table.replaceAll("OFFICE", office)}
    `),
  );
}

/** Constructions about who is elected to an office, for questions that name it. */
const ELECTIONS = ofOffices(String.raw`
# A race or a vote without the office can be another one.
let decided = ({election}|elections?|run-?off|second round)
let day = ((Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day['’]s )
let article = (the |an? |{day})(\d{4} )?((close|tight|hard-fought|snap|special) )?
let wins = {has}(won|wins|clinched|clinches|secured|secures|captured|captures|swept|claimed|claims|took|takes)_
# The words behind a whole election. "In the northern districts" is behind a part of it.
let behind = (?=[,.;]| (to|on|by|with|after|against|over|amid|late|early) (?!become|be|lead)| in {Capital}|$)
for all; asking \belected (as )?(the )?{office}\b
{wins}{place}['’]s? (\d{4} )?{election} -> was elected OFFICE of $<place>
{wins}the ((?<year>\d{4}) )?{place} {election} -> was elected OFFICE of $<place>[ in $<year>]
{wins}{article}({place} )?{election} (in|of) (?={Capital}) -> was elected OFFICE of_
{wins}{article}{decided} (for|to become|to be) (the )?(next |new )?(?={office}\b) -> was elected_
{wins}{article}{decided}{behind} -> was elected OFFICE
{start}{loser:name} {has}((lost|loses) ({article}{decided} )?to|(was|were|been) (beaten|defeated|ousted|unseated) by) {winner:name} in ({article}|(?-i:\p{Lu}[\p{L}-]*)['’]s ){decided} -> $<winner> was elected OFFICE
(will be|is to be|is|becomes) (the |(?-i:\p{Lu}[\p{L}-]*)['’]s )(next |new )(?={office}\b[^.;]* after (winning|beating|defeating|an? (\p{L}+ )?victory)) -> was elected_
# "Orla Finch, a former headteacher, is the new mayor of Bramling"
(, an? [^,;.]{3,60},)? (is|becomes) (the |(?-i:\p{Lu}[\p{L}-]*)['’]s )new (?={office}\b(?!['’-])(?![^.;]*\b(appoint|nam|nominat|chos|pick|interim|acting|caretaker|resign|replac|succe|council))) -> _was elected_
((lost|loses) {article}{decided}{behind}|conced(es|ed) (defeat(?! (in|at|over) (?!(the )?({adjective} )?{vote}))|{article}{decided})|conced(es|ed)(?= to {Capital}| (at|on|late|early|shortly) |[.,;]|$)) -> lost
`);

export const CONTESTS: readonly Construction[] = [...RANKS, ...KNOCKOUTS, ...WINS, ...ELECTIONS];
