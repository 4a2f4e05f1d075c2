import { constructionsIn } from "./constructions.ts";

/** Constructions about figures: rates of central banks, prices, the economy, and what a film earns. */
export const FIGURES = constructionsIn(String.raw`
let monetary = monetary( policy( and financial stability)?)?
for all; asking \b(?<!(deposit|lending|mortgage|prime) )interest rates\b
# The board of a central bank, and the names of its rate
(the )?((executive|governing|rate-setting|{monetary}|policy) (board|committee|council)) of (?=(the )?{Capital}) ->
# A run of names is tried from its first one only, so that the time stays linear.
(?-i:(?<!\p{Lu}[\p{L}'’-]{0,30} |[\p{L}'’-])(?<bank>{name}))['’]s? (executive|governing|rate-setting|{monetary}|policy) (board|committee|council)\b -> $<bank>
(?<!['’]s? )(the )?(executive board|governing council|(rate-setting|federal open market|{monetary}) (board|committee|council)|(?-i:FOMC|MPC|Copom|(?<=[Tt]he )(Committee|Board)))\b(?! of |['’]) -> the bank
(the target range for )?(the )?federal funds (target )?r(ate|ange)\b|Bank Rate\b|((the|its|their) )?(target for the )?(three )?((?-i:(?<!\p{L})(\p{Lu}\p{L}+ ){1,3}Bank) )?(benchmark|policy|key|main|base|(official )?cash|repo|overnight|selic) ((interest|lending|policy|overnight|borrowing|deposit|short-term|(?-i:[A-Z]{2,5})) ){0,2}rates?( target)?\b|(the )?(?-i:OCR)\b|((the|its) )?(borrowing costs|interest rate)\b -> interest rates
(?<verb>held|holds|kept|keeps|left|leaves|cut|cuts|raised|raises|hiked|hikes|lowered|lowers|trimmed|maintained|maintains) rates?\b -> $<verb> interest rates
(((decided|voted|opted|agreed|chose) to )?maintain(s|ed)?(?= interest rates)|(kept?|keeps|left|leave|leaves|hold|held|holds) interest rates where (it|they) (was|were|is|are|has been|have been))( interest rates)?\b -> left interest rates unchanged
((decided|voted|opted|agreed|chose) to (keep|leave|hold)|is (keeping|leaving|holding)) (?=interest rates) -> left_
# "by a quarter of a percentage point"
(an? )?quarter( of a| a)?[\s-](percentage[\s-])?point\b -> 25 basis points
(an? )?half( of a| a)?[\s-](percentage[\s-])?point\b -> 50 basis points
(an? )?three[\s-]quarters( of a| a)?[\s-](percentage[\s-])?point\b -> 75 basis points
(an? )?full( of a| a)?[\s-](percentage[\s-])?point\b -> 100 basis points
# "The SNB is lowering the SNB policy rate"
agreed to (?=(cut|lower|reduce|raise|increase) interest rates) -> decided to_
is (?<verb>lower|rais|reduc|increas)ing (?=interest rates) -> $<verb>ed_
lift(s|ed) interest rates -> raised interest rates
for all; asking \bGDP\b
(\breal )?((?<=^|[’']s |\bits |\breal |\bthe US |^)(the )?(economy|gross domestic product)|\bthe (economy|gross domestic product))\b( \(GDP\))? -> GDP
(?<=(?<!(current-dollar|nominal|business) )\bGDP )(increased|grew|expanded|rose) at an annual(i[sz]ed)? rate of_ -> grew by_
(?<=(?<!(current-dollar|nominal|business) )\bGDP )(decreased|contracted|shrank|fell|declined) at an annual(i[sz]ed)? rate of_ -> shrank by_
for all; asking \bunemployment rate\b
jobless rate\b -> unemployment rate
# "Total nonfarm payroll employment rose by 147,000", "changed little (+22,000)"
for all; asking \beconomy add\b.*\bjobs\b
(?<=^|[,;:] |\b(US|the|that) )(total )?(non-?farm )?payroll( employment|s) (rose|increased|grew|edged up|changed little) (?<when>in \p{L}+ )?(by |\(\+)(?<n>\d[\d,]*\d)\)? -> the economy added $<n> jobs $<when>
(?<=^|\bUS )employers (?=add) -> economy_
for all; asking \beconomy\b
(GDP|gross domestic product)\b -> economy
for all; asking \bopening weekend\b
(first|debut) weekend\b|(first|opening) three days\b -> opening weekend
(took|takes|pulled|raked|hauled) in (?=[$€£]) -> grossed_
(opened|debuted|opens|debuts) (to|with|at) ((an?|just|only|about|around|estimated) )*(?<n>[$€£] ?\d[\d.,]*( ?(million|billion))?)(?!\d|[.,]\d| ?(million|billion)\b| (on \p{L}+day|in (previews|its first day)|at home and|abroad|overseas|internationally|worldwide|globally|outside|in (the )?{Capital})) -> grossed $<n> in its opening weekend
# "Consumer prices rose 2.8 percent in September from a year earlier"
for all; asking \binflation\b(?!.*\b(core|food|services|monthly|producer))
((the|its) )?(consumer (prices? index|prices)( \(CPI\))?|(?<=^|[,;:] |\b(the|its|UK|US|headline|annual) |[’']s )CPI) (?<where>in (?-i:\p{Lu}[\p{L}-]*) )?(rose|increased|climbed|were up|was up|went up) (by )?(?<n>\d[\d.,]* ?(%|percent|per cent)) in the (year|(12|twelve) months) to_ -> annual inflation rate $<where>was $<n> in_
((the|its) )?(consumer (price index|prices)( \(CPI\))?|CPI) (?<where>in (?-i:\p{Lu}[\p{L}-]*) )?(rose|increased|climbed|were up|was up|went up) (by )?(?<n>\d[\d.,]* ?(%|percent|per cent)) (?<when>in \p{L}+ )?(from|compared with|on) (a year|the year|twelve months) (earlier|before|ago) -> annual inflation rate $<where>was $<n> $<when>
# "The all items index rose 3.2 percent for the 12 months ending September"
(the )?(all items index|index for all items) (rose|increased|climbed|was up) (by )?(?<n>\d[\d.,]* ?(%|percent|per cent)) ((for|in|over) the 12 months ending (in )?(?<month>\p{L}+)|(over|for) the (last|past) (12|twelve) months) -> annual inflation rate was $<n> in $<month>
(?<=^|[,;:] |\bthat )((the|its) )?(consumer )?prices (?<where>in (?-i:\p{Lu}[\p{L}-]*) )?(?<when>in (?-i:\p{Lu}[\p{L}]*) )?were (?<n>\d[\d.,]* ?(%|percent|per cent)) higher than (a|one) year (earlier|before|ago) -> annual inflation rate $<where>was $<n> $<when>
for all; asking \d
picked up (?=to |by |in |slightly |sharply ) -> rose_
,? ((slightly|a little|much|far|well) )?(more|less|fewer|faster|further|lower|higher|better|worse) than ((had been )?(expected|forecast|predicted|feared|hoped)|(economists|analysts|forecasters)( had)? (expected|forecast|predicted))(?=[\s.,;]|$) ->
for all; asking \bpopulation\b
{start}{place:words} (had|has|counted|counts) (?<n>\d[\d.,]*\d( million)?) (inhabitants|residents|people)\b -> the population of $<place> was $<n>
`);
