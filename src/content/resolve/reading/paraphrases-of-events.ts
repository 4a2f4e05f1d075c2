import { constructionsIn } from "./constructions.ts";

/** Constructions about what people, bodies and firms do and decide. */
export const EVENTS = constructionsIn(String.raw`
let body = (?-i:([Tt]he |\p{Lu}[\p{L}-]*['’]s )?((\p{Lu}[\p{L}-]*|national|federal|state|city|lower|upper) ){0,2}([Ss]enate|[Pp]arliament|[Cc]ongress|[Aa]ssembly|[Cc]ouncil|[Cc]hamber|[Ll]egislature|[Hh]ouse|[Bb]oard)( of (the )?\p{Lu}[\p{L}-]*( \p{Lu}[\p{L}-]*)*)?(?!['’]| (\p{L}+ ){0,2}(committee|panel|subcommittee|caucus|group|members?|president|speaker|leader)))
let voters = (?-i:([Tt]he |\p{Lu}[\p{L}-]*( \p{Lu}[\p{L}-]*){0,3}['’]s? )?([Ss]hareholders|[Mm]embers|[Vv]oters|[Dd]elegates|[Cc]reditors|[Ww]orkers|[Rr]esidents|[Ll]awmakers|[Dd]eputies|[Ss]enators|MPs)( (of|in|at) (the )?\p{Lu}[\p{L}-]*( \p{Lu}[\p{L}-]*)*)?)
let number = ((some|about|around|only|just|more than|over|nearly|almost|roughly|at least|a total of) )?(\d[\d.,]*\d|\d)( (thousand|million))?
let clearance = ((final|full|formal|regulatory|marketing) )?(approval|authori[sz]ation|clearance)
let challenge = (applications?|appeals?|challenges?|petitions?|complaints?|lawsuits?|bids?|requests?|motions?|attempts?|suits?)
let restriction = (its|the|their|a|an|all) ([\p{L}\d-]+ ){0,4}?(ban|restrictions?|sanctions|embargo|curfew|blockade|moratorium|tariffs?|suspension|lockdown|limits?|cap)\b
let transaction = (its|the|their|a|an) ([^,;\s]+ ){0,5}?(merger|acquisition|takeover|purchase|deal|sale)\b
let description = ((?!(of|at|for|in|as) )\p{Ll}[\p{L}-]* ){0,4}
let confidence = (the|an?|(?-i:\p{Lu}[\p{L}-]*['’]s)) ((no-)?confidence|censure) (vote|motion|challenge)\b
let fine = an? (?!(suspended|proposed|provisional|potential|possible|conditional)\b)([^,;.]{1,40}? )?fine
let show = ((its|the|their) ([\p{Ll}-]+ ){0,4}?)?(?<show>["“][^"”]{2,60}["”]|(?-i:\p{Lu}[\p{L}'’-]*( \p{Lu}[\p{L}'’-]*)*))
# "Velora ousted its chief executive Daria Holm"
for all; asking \bleave office\b
{start}{words} {has}(oust(s|ed)|fired?|fires|sack(s|ed)|dismiss(es|ed)|remove[sd]|replace[sd]|succeed(s|ed)) ((its|the|their) )?{description}{who:name}(?!['’]) -> $<who> left office
(was|were|been|is) (ousted|fired|sacked|dismissed|removed|replaced|succeeded|forced out|pushed out|voted out)\b -> left office
{start}{before:words}, (replacing|succeeding) {description}{who:name}(?!['’]) -> $<who> left office
{start}{words} {has}part(s|ed) (ways|company) with ((its|the|their) )?{description}{who:name}(?!['’]) -> $<who> left office
is (out as |no longer (the )?(?=\p{Ll})) -> left office as_
(lost|loses) (his|her|their|the) (job|post|position|role) (of|as)_ -> left office as_
(lost|loses) (his|her|their|the) (job|post|position|role)\b -> left office
left (?=(the company|the club|the post|(his|her|their) (job|post)|(?-i:\p{Lu}[\p{L}-]*)([,.;]| (on|in|after|at|last|with|for|amid|by) |$))) -> left office at_
for free
(walked|walks) free from |left (?=prison\b) -> was released from_
for survive
(won|wins) (?=(the|a) (no-)?confidence vote) -> survived_
((saw|sees|fought|fended|beat|warded) (off|back)|defeat(s|ed)|overc[ao]mes?|wins|won) (?={confidence}) -> survived_
(loses|lost|(was|were|been) (toppled|ousted|brought down|defeated|voted out|unseated) (by|in|after|through)) (?={confidence}) -> did not survive_
for all; asking \bretire
(calls|called|brings|brought) (time|an end|the curtain down|down the curtain) (on|to) (an?|his|her|their) (?<career>[^,;.]{0,40}?)career\b|(ends|ended) (his|her|their) (?<other>[^,;.]{0,40}?)career\b|h[au]ng(s|ed)? up (his|her|their) (boots|gloves|racket|skates|spikes|helmet)\b -> retired from $<career>$<other>
for all; asking \bsworn in\b
(took|takes|has taken) the oath( of office)? as |(was|is|has been) inaugurated as_ -> was sworn in as_
# "Whitt, elected leader of the party on Saturday, grew up near Aldon"
for become, elect, appoint
{start}{who:name}, (newly )?(?<verb>elected|appointed|named|chosen) (as )?(?=\p{Ll}[^,]{3,60},) -> $<who> was $<verb>_
for elect; asking \bchosen to host\b
will host (?<what>[^,;.]{3,40}?) after (beating|defeating)_ -> was chosen to host $<what> over_
# "annulled the election" for its result
for cancel, uphold; asking \bresult of\b
(annul(led|s)|quash(ed|es)|void(ed|s)|overturn(ed|s)|invalidated) (?=the ([\p{L}-]+ ){0,2}(election|vote|referendum|match|ballot|race)\b) -> annulled the result of_
for all; asking \bpaid for by\b
(was|were|been|is) (funded|financed) by_ -> was paid for by_
{start}{who:name} {has}(paid for|funded|financed) (?<what>(the |a )?[^,;.]{3,60}?)(?=[,.;]|$) -> $<what> was paid for by $<who>
for all; asking \battend\b
(miss(ed|es)|skip(ped|s)|stay(ed|s) away from|boycott(ed|s)) (?=(the|this|an?) ) -> did not attend_
for all; asking \bdie\b
passed away\b -> died
# "Zadie Marlowe and Tomasz Grell tied the knot"
for all; asking \b(marry|married|wed)\b
{start}{one:name} and {two:name} {has}(tied the knot|exchanged (wedding )?vows|((got|were) )?(wed|married))\b -> $<one> married $<two>
^.*?\bpronounced ([\p{Ll}-]+ ){0,2}?{one:name} and {two:name} (husband|man|wife) and (wife|husband)\b -> $<one> married $<two>
# "granted Silas Crewe a full pardon", "issued a pardon to Silas Crewe"
for all; asking \bpardon
(grant(s|ed)|gives|gave|issue[sd]) {who:name} an? ((?!conditional|partial)\p{L}+ )?pardon\b -> pardoned $<who>
(grant(s|ed)|gives|gave|issue[sd]|signs|signed) an? ((?!conditional|partial)\p{L}+ )?pardon (to|for)_ -> pardoned_
for all; asking \bextradited\b
(was|were|been) (handed over|surrendered|(sent|flown|deported|transferred)(?=.*\bextradit)) to (?={Capital}) -> was extradited to_
for release
(beg[au]n|begins|started|starts) (selling|shipping)_ -> released_
(hit|hits|reached|reaches) (stores|shops|shelves|the shelves|shop shelves)\b -> went on sale
ha(s|ve) been (available|on sale)( (in|at) (shops|stores))? since_ -> went on sale on_
# "Today we are releasing Cygnus 5", "Cygnus 5 is rolling out to all users"
(?<=\btoday\b.*?)\b(is|are) (releasing|launching|introducing) |(is|are) (now |today )?(releasing|launching|introducing) (?=[^.;]*\b(today|(?<!\bfrom )now)\b) -> released_
(is|are) (now available|rolling out|(generally )?available) ?((today|now|from today|starting today|as of today)\b|(worldwide|to (everyone|all \p{L}+))\b)(?![^.;]*\b(preview|beta|alpha|pre-?order|testers|partners|waiting list|waitlist)\b) -> was released
# "released its new model, Cygnus 5"
(?<verb>released|releases|launched|launches) (its|their|an?|the) ([\p{L}-]+ ){1,5}(model|phone|smartphone|tablet|console|game|album|film|car|truck|chip|headset|device|system|app|browser|watch|laptop|drug|vaccine), (?={Capital}[\p{L}\d\s.-]*?([,;]|\.?$| (to|in|on|for|with|at|after|worldwide)\b)(?<!\band .*)) -> $<verb>_
# "has pushed the flight to November"
for launch, release, open
push(es|ed) (?<thing>(the |its )?[^,;.]{3,50}?) (in)?to (?=(early |late |mid-)?((?-i:January|February|March|April|May|June|July|August|September|October|November|December)|20\d\d|next \p{L}+)) -> postponed $<thing> to_
for approve, enact, reject
signed off on_ -> approved_
(gave|gives|given) (?<thing>the {letter}{3,60}?) (its|their|the) ((final|full|formal) )?((stamp|seal) of approval|approval|backing|assent|consent)\b(?! (for|to)) -> approved $<thing>
{start}{thing:words} {has}(won|wins|gained|secured) the (backing|approval|assent|consent) of (?=(the )?{Capital}) -> $<thing> was approved by_
for all; asking \bconfirm
won confirmation (from|by)_ -> was confirmed by_
for sign
ink(ed|s) (?=(the|an?|its|their) ) -> signed_
for open
cuts? the ribbon (on|at)_ -> opened_
(is|are) now open(?=[,.;]| to (traffic|the public|passengers|visitors)|$) -> opened
for win, win award
triumph(ed|s) (at|in) (?=the ) -> won_
for all; asking \bbecome\b
made history (on \p{L}+day )?(as|by becoming) the (?=first|youngest|oldest) -> became the_
for end
is (now )?over(?=[,.;]|$) -> ended
call(ed|s) an end to_ -> ended_
for join
became a (full )?member of |(formally )?acceded to |was admitted to_ -> joined_
for appoint
{start}{who:name} (is|becomes) the new (?=\p{Ll}) -> $<who> was appointed_
(tapp(ed|s)|pick(ed|s)|hir(ed|es)|promot(ed|es)) {who:name} (as|to be|(?<=promot.*)to) ((its|the|their) )?((next|new) )? -> appointed $<who>_
for all; asking \bfined?\b
(was|were|been|is) (hit|slapped|handed|served) (with )?{fine} by_ -> was fined by_
(impose[sd]|slapped|slaps|levie[sd]|issue[sd]|handed down) {fine}( of [^,;.]{2,40}?)? on_ -> fined_
(slapped|hits?) {who:name} with {fine}\b -> fined $<who>
for all; asking \braise\b.*\bIPO\b
{who:name}['’]s? (IPO|initial public offering) (raised|brought in|pulled in) (?<n>[$€£]\d[\d.,]*\d( (million|billion))?) -> $<who> raised $<n> in its IPO
for approve, enact, reject
{start}{bill:words} {has}(cleared|clears|passed|passes|(got|gets|sailed|breezed|squeaked|scraped|sails) through) {body:body} -> $<body> passed $<bill>
{start}{bill:words} {has}(failed|fails|fell( [\p{L}\d]+ votes? short)?|was defeated|been defeated|is defeated) (to pass )?in {body:body} -> $<body> rejected $<bill>
{start}(?<body>{body}|{voters}) {has}voted (in favou?r of|for) (?!\p{L}+ing ) -> $<body> approved_
{start}(?<body>{body}|{voters}) {has}voted against (?!\p{L}+ing ) -> $<body> rejected_
voted {letter}{1,40}? to (?=(pass|approve|adopt|reject|ratify|back) ) -> voted to_
{start}{thing:words} {has}(won|wins|gained|gains|received|receives|secured|secures|obtained|got|gets) {clearance} (from|by) (?=(the )?{Capital}) -> $<thing> was approved by_
for approve, enact, reject; asking \bapproved\b
{start}{firm:words} {has}(won|wins|gained|gains|received|receives|secured|secures|obtained|got|gets) {clearance} (for|of) (its |their )?{thing:words}(?= (in|from|by|on|after) |[.,;]|$) -> $<firm>'s $<thing> was approved
for approve, enact, reject
(was|were|been) (denied|refused) {clearance}\b -> was rejected
(refused|refuses|declined|declines) to (approve|authori[sz]e|licen[cs]e|clear)_ -> rejected_
(denied|denies|refused|refuses|withheld) {clearance} (for|to|of)_ -> rejected_
(granted|grants|gave|gives|given) ((its|the|their) )?((final|full|formal) )?(approval|authori[sz]ation|clearance|backing|assent|consent|green light|go-ahead|blessing) to_ -> approved_
for cancel, repeal, uphold
(refused|refuses|declined|declines) to (overturn|annul|quash|set aside|strike down|reverse)_ -> upheld_
for approve, enact, reject
(?<=(?-i:SEC|FDA|EMA|FCC|[Aa]gency|[Cc]ommission|[Rr]egulators?|[Bb]oard|[Cc]ouncil|[Aa]uthority) (has |have )?)denied (?=(the|an?) )(?!(the|an?) (waiver|extension|report|claim|allegation|rumou?r|story|request))(?![^.;]*\b(was|were|is|are|had|has)\b) -> rejected_
# "rejected Brightmoor's application for Zelorvan"
(reject(s|ed)|turn(s|ed) down|refused|declined) (the|an?|[^,;.]{2,30}?['’]s?) ((new|drug|marketing|licen[cs]e) )*application (for|to (sell|market))_ -> rejected_
for cancel, repeal, uphold
(dismiss(es|ed)|reject(s|ed)|threw out|throws out|turned down) (the|an?|all|every) ([\p{L}-]+ )?(challenges?|appeals?|petitions?|complaints?|lawsuits?) (to|against|over)_ -> upheld_
# "threw out Morden's application to set aside the award"
(dismiss(es|ed)|reject(s|ed)|threw out|throws out|thrown out|turned down|denie[ds]) (the |an? |([\p{L}-]+ ){1,3}?[\p{L}-]+['’]s? ){challenge} ((by|from|of) [^,;.]{3,50}? )?to (have )?(set aside|annul|overturn|quash|void|cancel|strike down|block)_ -> upheld_
{start}(the |an? )?([\p{L}-]+ ){0,2}?{challenge} ((by|from|of) [^,;.]{3,50}? )?(to (have )?(set aside|annul|overturn|quash|void|cancel|strike down|block)|against) {thing:words} (was|is|were|has been) (dismissed|rejected|thrown out|turned down|denied|unsuccessful)\b -> $<thing> was upheld
(left|leaves|let|lets) {thing:words} (in (place|force)|intact|stand(ing)?|untouched)\b -> upheld $<thing>
# "ordered a third season of its hit", "picked up the show for a third run"
for renew
(ordered|orders|commissioned|commissions|greenlit|greenlights|confirmed) (a|another) (?<n>[\p{L}-]+) (season|series|run) of {show} -> renewed $<show> for a $<n> season
(picked up|picks up|brought back|renewed) {show} for a (?<n>[\p{L}-]+) (season|series|run)\b -> renewed $<show> for a $<n> season
for complete
(?<!(complet|clos|finali[sz]|sign)\p{L}* (\p{L}+ ){0,2})(?<deal>merger|takeover|acquisition|purchase) (agreement|contract|deal|pact)\b -> $<deal>
for convict, acquit
(cleared|clears) (?<who>him|her|them|{name}) of_ -> acquitted $<who> of_
for list
{start}((the|its|ordinary|common) )*shares (of|in) ([\p{Ll}-]+ ){0,3}{firm:name}\.? ((have been|were|are) (admitted to|listed on) (the )?[^,;.]{3,40}|(changed hands|traded|were traded) for the first time(?! (above|below|since|at|in) )) -> $<firm> began trading
for launch
((made|makes|completed) its (first|maiden|inaugural|debut) ((orbital|test) )?flight|flew for the first time|(left|leaves) (the|its) (launch )?pad|lifted off on its (first|maiden) flight)\b -> launched
for land
(pulled off|made|makes|achieved|completed) a ((soft|gentle|safe|successful|controlled) )?landing on_ -> landed softly on_
# "The strike by the crews began", "began a strike"
for strike
(call(ed|s) off|cancel(led|s)|suspended) (a|the|its|their) ((?!three|two|four|five|week|day|month)[\p{L}-]+ ){0,2}?(planned|threatened|scheduled|looming|proposed) ([\p{L}\d-]+ ){0,2}?(strike|walkout)\b -> did not go on strike
{start}(the|an?) ([\p{L}-]+ ){0,2}?strike (by|of) {who:words} (began|begins|started|got under way)\b -> $<who> went on strike
(beg[au]n|begins|started|starts|launched|staged) (a|an|their|its) ((?!(hunger|rent|school|air|drone|missile|military|thirst) )[\p{L}\d-]+ ){0,3}?(strike|walkout)\b|(is|are) on strike\b|(stopped|downed) (work|tools)\b(?! on (the|a))|walked (off the job\b|out\b(?! (of|on|from|to|with) )) -> went on strike
for acquire
became part of (?={Capital}[\p{L}-]*( {Capital}[\p{L}-]*){0,2}([,.;]| on | in |$)) -> was bought by_
for landfall
(the )?(eye|cent(re|er)) of (?<storm>[^,;.]{3,40}?) (crossed the coast (of|near|in)|made landfall in)_ -> $<storm> made landfall in_
# "has strengthened into a category 5 hurricane"
for all; asking \bbecome (a )?category \d
(has )?((strengthened|intensified|grew|grown) (in)?to|became|is now|is|was) (an? )?((powerful|major|dangerous|monstrous|strong|large) )?(?=category \d) -> became a_
for all; asking \breach (a )?category \d
(has )?((strengthened|intensified|grew|grown) (in)?to|became|is now|is|was) (an? )?((powerful|major|dangerous|monstrous|strong|large) )?(?=category \d) -> reached_
# "received a Best Actress nomination for", "is among the five nominees for"
for nominate
(received|got|earned|scored|landed) an? (?<prize>[^,;.]{3,50}?) nomination (for|at|in)_ -> was nominated for $<prize> at_
(is|was|are) (among|one of) the (\p{L}+ ){0,2}?nominees for_ -> was nominated for_
was snubbed (in|for) (the )? -> was not nominated for_
# "The mill now belongs to Karsten"
for acquire
{start}{thing:words} (now belongs to|(is|are) now (owned by|in the hands of)|passed (in)?to the (hands|ownership) of)_ -> $<thing> was bought by_
(is|becomes|became) the new owner of_ -> bought_
{start}{thing:words} (has|gets|got|found) (its |a )?new owner ?: {who:name} -> $<who> bought $<thing>
for all; asking \bturnout\b
(?<n>{number} ?(%|percent|per cent)) of (the )?((registered|eligible) )?voters (turned out|voted|took part)\b -> turnout was $<n>
# "declared a candidacy for president", "is running for mayor"
for all; asking \brun for\b
((declare[sd]?|announce[sd]?|launch(es|ed)) (a|her|his|their) (candidacy|candidature|bid|campaign|run)|(enter(s|ed)|join(s|ed)) the race|(?<!\b(who|which) )(is|are) running) (?=for\b) -> ran_
for lift
(scrap(s|ped)|end(s|ed)|drop(s|ped)|remove[sd]|revoke[sd]|abolish(es|ed)|rescind(s|ed)) (?={restriction}) -> lifted_
for complete
(clos(ed|es)|wrap(ped|s) up|finali[sz]e[sd]) (?={transaction}) -> completed_
for complete, acquire, merge
(walk(s|ed) away from|pull(s|ed) out of|back(s|ed) out of|dropp(ed|s)|((agreed|decided) to )?(mutually )?(terminate[sd]?|abandon(ed|s)?)) (?={transaction}) -> cancelled_
for complete, acquire, merge; asking \b(merger|takeover|acquisition|purchase|deal|sale)\b
{start}{deal:words} {has}(collapsed|fell apart|fallen apart|fell through|fallen through)\b -> $<deal> was cancelled
for open
(carried|welcomed|received|served|admitted) (its|their) first ((paying|public) )?(?<who>passengers|visitors|guests|customers|riders|patients|students|travellers|travelers)\b -> opened to $<who>
for open; asking \bto passengers\b
opened to the public\b -> opened to passengers
for open; asking \bto visitors\b
opened to the public\b -> opened to visitors
for sign
{start}{who:name} {has}(joined|signed (for|with)|moved to) {club:name}(?!['’]) -> $<club> signed $<who>
for join
{start}{club:name} {has}(signed|unveiled) ((?!(of|at|for|in|as|a|the) )\p{Ll}[\p{L}-]* ){0,3}{who:name}(?!['’]) -> $<who> joined $<club>
for sign
(put|puts|affixed) (their|its|her|his|a) (signatures?|names?) to_ -> signed_
for sign, agree
{start}(the )?(leaders|presidents|(prime|foreign|defen[cs]e) ministers|governments|negotiators|envoys) (of|from) (?={Capital}[\p{L}-]* and ) ->
# "struck down the tariffs", for "rule against the tariffs"
for all; asking \brule against\b
(struck|strikes) down |(invalidated|overturned|voided|blocked)_ -> ruled against_
(upheld|upholds|let stand|backed|sided with|ruled (in favou?r of|for))_ -> did not rule against_
for approve; asking \b(pass|approve|adopt)
became law\b -> was approved
for approve
(adjourned|broke up|went into recess|dissolved|ended its session) [^.;]{0,40}?without (voting on|passing|approving|adopting|a vote on)_ -> did not pass_
for landfall
(slammed into|crashed into|hit the coast of|struck the coast of|roared ashore in)_ -> made landfall in_
for resume
(remain(s|ed)|stay(s|ed)|(is|was|are|were) still) (out of (service|action|operation|use)|suspended|shut|closed|idle|halted|in dock|offline)\b -> did not resume
for sign
(complet(ed|es)|announc(ed|es)|confirm(ed|s)|seal(ed|s)) the signing of_ -> signed_
# "finished removing the dam"
for all
(finish(ed|es)|complet(ed|es)) (?!building)(?<verb>\p{L}{3,})ing_ -> $<verb>ed_
for all; asking \bremove
(demolish(ed|es)|dismantled|dismantles|torn down|tore down)\b -> removed
for end
entered (its|a|their) (\p{L}+-?){1,3} (day|week|month|year)\b -> continued
voted to (continue|extend|prolong)_ -> continued_
for ban
(approved|adopted|backed|passed|imposed|introduced) an? ban on_ -> banned_
(rejected|voted down|threw out) (a|the) (proposed |planned )?ban on_ -> did not ban_
for become, elect, appoint
is (the|its|their) new (?=\p{L}+ of ) -> became_
for open
ha(s|ve) been (in use|in service|in operation|open( to [\p{L}\s]{2,24}?)?) since_ -> opened on_
for cancel, leave
(was|is|been) taken out of service -> was withdrawn from service
for complete
{start}(construction|building|work) (of|on)_ ->
for rise, fall
lift(s|ed) (?=(its|the|their|his|her) ([\p{L}-]+ ){0,4}?(rates?|prices?|fares?|tax|wages?|dividend|forecast|target|fees?)\b) -> raised_
for rise, fall, unchanged
(?<=\brate (of [^,;.]{3,40} )?)(stays|stayed|remains|remained) (?=at \d) -> was left unchanged_
(kept|keeps|left|leaves|held|holds|maintain(s|ed)) (?<rate>((its|the|their) )?([\p{L}-]+ ){0,4}?rates?) (steady|on hold\b|(?=at )) -> left $<rate> unchanged_
for die
claim(s|ed) (the lives of )?(?<n>{number}) (lives|people) -> killed $<n> people
# "decided against a recall of the scooter", "turned down a request to extradite"
for all; asking \bdecline to\b
(refus(ed|es)|(decided|opted|chose|voted|resolved) not) to_ -> declined to_
(decid(ed|es)|voted) against (an?|the|any) (?<verb>\p{L}+) of_ -> declined to $<verb>_
for all; asking \brefuse to\b
(reject(s|ed)|turn(s|ed) down|refused|denie[ds]|dismiss(es|ed)|threw out) (the|an?|(?-i:\p{Lu}[\p{L}-]*)['’]s?) ((formal|new) )?(requests?|applications?|bid|petitions?|motions?) to_ -> refused to_
for all; asking \battend\b
(was|were) ((also|among those) )?(present|in attendance) at_ -> attended_
(was|were) not (present|in attendance) at_ -> did not attend_
for all; asking \bled by\b
headed (?=(the|an?|this) ) -> led_
for leave; asking \bleave (?={Capital})
(stepped|stood|steps|stands) down as (?<post>(?-i:[\p{Ll} -]{3,40}?)) of_ -> left_
for merge
{start}(the|its) merger with {other:name}(, [^,;.]{3,60},)? (was|is|has been) (completed|closed|finali[sz]ed)\b -> the company merged with $<other>
for die
lost (?<n>(their|his|her) (lives|life))\b -> died
for all; asking \btimes\b
(?<=\b(cut|hiked|\p{L}{2,}ed) ((?!of )[\p{L}-]+ ){0,3}?)twice\b -> two times
# "The ferry made its last crossing"
for all; asking \bstop running\b
{has}made (its|the|their|a) (very )?(last|final) (crossing|run|journey|trip|sailing|voyage)\b|{has}ceased (operations?|service|running|operating|to (run|operate))\b -> stopped running
for release
(is|are) (now )?available (in|on|at) (?<where>{letter}{3,40}?) (from|since|as of) (today, )? -> was released in $<where> on_
(is|are) (now )?available (from|since|as of) (today, )? -> was released on_
for cancel, repeal; asking \brevoked\b
{start}{who:words} {has}lost (its|their|his|her) (?<what>([\p{L}]+ )?(permit|licen[cs]e|authori[sz]ation|accreditation))\b -> $<who>'s $<what> was revoked
for cancel, repeal, uphold; asking \b(result|election|vote|referendum)\b
(?<=(result|election|vote|referendum)( of [^,;.]{3,40})? )(is|was) ((declared|ruled|found|deemed) )?valid(?=[.,;]|$) -> was upheld
for open; asking \breopen\b
, (shut|closed|out of (use|service)) (since|for) [^,;.]{3,60},_ -> _
(is|are) (now )?(open|in (use|service)) (to (traffic|the public) )?again\b -> reopened
for open; asking ^(?!.*\bto\b)
(?<=\b(was|were|been) (re)?opened) to (the public|traffic|visitors)(?=[.,;]| (on|at|this|after|last)|$) ->
# "The deadline for a treaty passed without agreement"
for sign, agree
{start}the deadline (for|to sign) (?<deal>(an?|the) [^,;.]{3,80}?) (passed|expired|lapsed|came and went) (?<when>on {letter}{3,30}? )?without (an? )?(agreement|deal|signature|breakthrough)\b -> $<deal> was not signed $<when>
for break
(beat|beats|bettered|surpassed|eclipsed|smashed|shattered) (?=(the|an?|his|her|their) ([\p{L}'’-]+ ){0,4}?record\b) -> broke_
for all
# "regrets that the treaty could not be signed"
^(the |an? )?[^,;.]{3,50}? regret(s|ted) that (?<thing>[^,;.]{3,60}?) could not be -> $<thing> was not
# "We have had to cancel the concert", "was forced to close"
(?<=\b(has|have) )(had|been (forced|obliged|compelled)) to (?<verb>[\p{Ll}]{3,}?)e?(?= (the|its|their|an?|all|(?-i:\p{Lu})|tonight|today|tomorrow)) -> $<verb>ed
^(the )?{letter}{3,40}? (hereby )?gives notice that (?=(the|an?|{Capital})) ->
`);
