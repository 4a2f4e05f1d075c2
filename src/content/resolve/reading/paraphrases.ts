import { type Construction, constructionsIn, type Groups, plainly } from "./constructions.ts";
import { GRAMMARS } from "./grammar.ts";
import { CONTESTS } from "./paraphrases-of-contests.ts";
import { EVENTS } from "./paraphrases-of-events.ts";
import { FIGURES } from "./paraphrases-of-figures.ts";
import { wordsOf } from "./words.ts";

/** Words beside a report that leave it what it is, so that a report without them says the same. */
const ASIDES = constructionsIn(String.raw`
for all
,? ((largely|broadly|just) )?as (had been )?(widely )?(expected|anticipated|forecast)( by (\p{L}+ )?(economists|analysts|markets))?(?=[,.;]|$) ->
for all; asking ^(?!.*\b(consecutive|straight|successive|row|running)\b)
_for an? \p{L}+ (consecutive|straight|successive) (meeting|time|month|quarter|year|week|day)\b| for the \p{L}+ ((consecutive|straight|successive) (meeting|time|month|quarter|year|week|day)|(meeting|time|month|quarter|year|week|day) (running|in a row))\b ->
# "Oskeria's president Ivo Marn", "its coach Bo Lindell"
for all
(?-i:(\p{Lu}[\p{L}-]*['’]s|[Ii]ts|[Tt]heir)) (?<title>((prime|finance|foreign|interior|defen[cs]e|health|education|transport) )?(minister|president|mayor|governor|chancellor|(chief executive|head coach|coach|captain))) (?={Capital}) -> $<title>_
# "the disputed press law"
(?<=\b(the|its|their|a|his|her) )(disputed|controversial|contested|divisive|long-awaited|hotly debated|much-debated|much-criticised|contentious) (?=\p{L}) ->
# "won 14 seats, nine fewer than four years ago"
for all; asking (?<!\bby )\b(more|fewer|less|at least|at most|exactly|over|under) (than )?\S+ \p{L}
, (\d+|\p{L}+) (fewer|less|more|up|down) (than|from|on) (in \d{4}|(the )?last (time|year|election|season|games)|(the )?(previous|year before) ?\p{L}*|\p{L}+ years? (ago|earlier|before)|before)(?=[,.;]|$) ->
for all
(his|her|their) ((royal|serene|imperial) )?(highness|majesty) (?={Capital}) ->
_with immediate effect\b ->
_with effect from (?=(\d{1,2} \p{Lu}|today|(?-i:\p{Lu}\p{L}+) \d)) -> _on_
# "(ticker: HALV)", "for a total consideration of USD 2.9 billion", "on the Saffir-Simpson scale"
for all
_\((ticker|symbol|(?-i:NASDAQ|NYSE|LSE|ASX|TSX))[:\s][^()]{1,30}\) ->
for acquire, complete, merge; asking ^(?!.*[$€£¥]).*$
_((in a (deal|transaction) (worth|valued at)|for( a (total|final) (consideration|price) of)?) (about |some |nearly |almost |more than )?((?-i:[A-Z]{3}) |[$€£¥])\d[\d.,]*( ?(million|billion|m|bn)\b)?( (in cash|in shares|in stock))?) ->
for all; asking \bcategory \d
_on the Saffir-Simpson (Hurricane )?(Wind )?scale\b| with maximum sustained winds [^.;]* ->
# Before all that read a decision
for all
voted (by (a majority of )?)?(?<yes>\d+) ?([-–]|to) ?(?<no>\d+)( (on|in) [^,;]{3,40}?)? to_ -> voted to_
# "voted 48-52 to pass": the motion failed, or the numbers are turned.
voted (by )?\d+ ?[-–] ?\d+( (on|in) [^,;]{3,24}?)? to_ -> voted on whether to_
# "In support of its goals, the Committee decided"
^(in (support|light|view) of|consistent with|given) (its|the|this|these) [^,;.]{3,120}, (?=(the|{Capital})) ->
`);

const PARAPHRASES: readonly Construction[] = [...ASIDES, ...CONTESTS, ...FIGURES, ...EVENTS];

const { says, doubts, denies, modal, not, hedge, have } = GRAMMARS.en;

/**
 * An English sentence with the plain verb for a construction that says the same: "X won the prize" for "The prize went to X". Undefined
 * without such a construction, or if other words may turn what it says.
 */
export function paraphraseOf(text: string, outcomes: ReadonlySet<string>, statement: string): string | undefined {
  let plain = text;
  for (const construction of PARAPHRASES) {
    const isAsked =
      (construction.outcomes.length === 0 || construction.outcomes.some((one) => outcomes.has(one))) &&
      construction.asks?.test(statement) !== false;
    if (isAsked) plain = plainly(plain, construction, isPlain);
  }
  return plain === text ? undefined : plain;
}

/** Whether the words of a construction have no verb or hedge of their own. A motion passes with more votes for it. */
function isPlain({ yes, no, ...groups }: Groups): boolean {
  return (
    (yes === undefined || Number(yes) > Number(no)) &&
    !Object.values(groups).some((words = "") =>
      wordsOf(words).some(({ text, capital }) =>
        (capital ? [not] : [doubts, denies, modal, not, hedge, have, says]).some((set) => set.has(text)),
      ),
    )
  );
}
