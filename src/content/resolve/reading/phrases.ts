export const VERDICT =
  /\b(?:this|that|the|these|it|its?)\b.{0,40}\b(?:claims?|posts?|statements?|stor(?:y|ies)|rumou?rs?|reports?|images?|videos?|quotes?|headlines?|articles?|is|was|are)\b.{0,40}\b(?:false|fake|untrue|incorrect|misleading|inaccurate|hoax|fabricated|satire|baseless|unfounded|altered|doctored|not\strue|no\s(?:evidence|proof|truth))\b|^\W*(?:(?:our\s)?(?:rating|ruling|verdict|conclusion)\W{1,4})(?:mostly\s)?(?:false|fake|untrue|incorrect|misleading|inaccurate)/iu;

/** A that-clause whose content the sentence rejects as untrue. */
export const UNTRUE_THAT =
  /\b(?:false|untrue|incorrect|wrong|not\s(?:true|correct|the\scase)|no\s(?:evidence|truth))\s(?:\p{L}+\s){0,2}that\s(.*)$/iu;

/** A sentence that takes back what it begins with: "but the time was not ratified". */
export const TAKEN_BACK =
  /(?<![\p{L}])(?:but|although|though|aber|doch|jedoch|mais|pero|aunque|ma|però|mas|porém)(?![\p{L}]).{0,60}(?:not\s(?:be\s|been\s)?(?:ratified|recogni[sz]ed|counted?|official|valid)|disqualified|annulled|nicht\s(?:anerkannt|gültig)|disqualifiziert|pas\s(?:été\s)?homologu|annulée?|disqualifi|no\s(?:fue|es|será)\s(?:homologad|válid|reconocid)|anulad|descalificad|non\s(?:è\s(?:stat[oa]\s)?)?omologat|annullat|squalificat|não\s(?:foi\s|será\s)?(?:homologad|reconhecid|válid)|desclassificad)/iu;

/** A source without a name. */
export const ANONYMOUS =
  /\b(?:person|people|sources?|insiders?|officials?|executives?)\s(?:who\s\p{L}+\s|that\s\p{L}+\s)?(?:close\sto|familiar\swith|with\sknowledge|briefed\son|near\sthe)|\b(?:anonymous|unnamed|unconfirmed|anonymity)\b|\bsources\s(?:say|said|told|close)|\b(?:aus\s(?:\p{L}+)?kreisen|insider|source\sproche|sources\sproches|fuentes\scercanas|fonti\svicine|fontes\spróximas)/iu;

/** A period that a report looks back on. */
export const LAST_YEAR =
  /(?<![\p{L}])(?:last|past|previous)\s(?:year|season|month|quarter)|the\s(?:year|season|quarter)(?![\p{L}])|(?:letzte[ns]?|vergangene[ns]?)\s(?:Jahr|Saison)|l['’]an(?:née)?\sd(?:ernier|ernière)|el\saño\spasado|l['’]anno\sscorso|(?:no\s)?ano\spassado/iu;

/** The end of a text before the day on which a decision takes effect. */
export const EFFECT =
  /(?<![\p{L}])(?:from|with\seffect\s(?:from|on)|as\sof|effective|ab|mit\sWirkung\s(?:vom|zum)|à\s(?:partir|compter)\sdu|a\spartir\sd(?:el?|o|al)|a\sdecorrere\sdal|dal)\s(?:the\s)?$/iu;

/** Words for what is to come in an entry or a cell: "Opening (expected)". */
export const PLANNED = /planned|expected|due|geplant|prévu|previst|previs/iu;

/** Values that say that an entry is empty or open. */
export const OPEN =
  /(?<![\p{L}])(?:none|no|not|never|pending|open|expected|planned|scheduled|due|keine?|nicht|offen|geplant|voraussichtlich|aucune?|non|prévue?|ning[uú]n[ao]?|no|pendiente|previst[oa]|nessun[oa]?|não|nenhuma?|\?)(?![\p{L}])/iu;

/** "The first round", "the semi-final", "at first reading": a stage before the one that decides. */
export const STAGE =
  /(?<!\p{L})(?:primar(?:y|ies)(?!\p{L})|nomin(?:ation|ee|iert)|finalist\s(?:for|to)(?!\p{L})|candidat|kandidat|vorwahl|(?:semi|quarter|demi|cuartos|quartas?|quarti|meia)(?:[\s-]?fin|[\s-]de[\s-]final)|(?:halb|viertel|achtel)final|(?:semi|quarter)s(?!\p{L})|(?:first|opening|erste[nmr]?|premi[eè]re?|primer[ao]?|prim[ao]|primeir[ao])\s(?:round|reading|stage|leg|heat|vote|section|phase|runde|lesung|wahlgang|tour|lecture|étape|vuelta|lectura|etapa|turno|lettura|tappa|volta|leitura)|\p{L}+\s(?:stage|etappe|étape|etapa|tappa)\s(?:of|der|des|du|de|del|della|da|do)(?!\p{L}))/iu;

/** The end of a text before a date that is only compared with, or at which a state began: "two fewer than in 2022", "as in 2022 and 2024". */
export const COMPARED =
  /(?<![\p{L}])(?:than|compared\s(?:with|to)|since|als|gegenüber|seit|qu['’]|par\srapport\sà|depuis|que|desde|di|rispetto\sal?|dal|do\sque|as|after)\s?(?:in|im|en|em|nel|el)?\s?(?:\d{4},?\s(?:and\s)?)*$/iu;

/** The year or the season before. */
export const YEAR_BEFORE =
  /(?<!\p{L})(?:(?:last|the\sprevious)\s(?:year|season)|(?:letzte[ns]?|vorige[ns]?|vergangene[ns]?)\s(?:Jahr|Saison)|l['’]an\sdernier|la\ssaison\sdernière|(?:el\saño|la\stemporada)\spasad[oa]|l['’]anno\sscorso|la\sscorsa\sstagione|(?:o\sano|a\s[ée]poca|a\stemporada)\spassad[oa])(?!\p{L})/iu;

/** Words and phrases that may deny the rest of their sentence. */
export const TURNING =
  /(?<![\p{L}])(?:jok(?:e[ds]?|ing(?:ly)?)|jest(?:ed|ing(?:ly)?)?|prank\p{L}*|spoof\p{L}*|parod\p{L}+|fiction\p{L}*|fictitious|simulat\p{L}+|rehears\p{L}+|mock|misprint\p{L}*|typos?|draft|scarcely|hardly|barely|mistake\p{L}*|erroneous\p{L}*|premature\p{L}*|rumou?r\p{L}*|seem(?:s|ed)?|all\sbut|as\sgood\sas|(?:every|any|no)(?:one|body|thing)\s(?:but|except)|except|other\sthan|apart\sfrom|unlike|in\scontrast\s(?:to|with)|anders\sals|im\sgegensatz\szu[mr]?|contrairement|à\sla\sdifférence|a\sdiferencia|a\sdifferenza|ao\scontrário|unless|if|on\s(?:the\s)?condition|subject\sto|provided|pending|await(?:s|ed|ing)|(?:still|yet)\s(?:needs?|has\sto|have\sto|must|requires?)|(?:that|this|such)\swas\sthe\splan|(?:earlier|previous|first|old|former)\sversion|das\swar\sder\splan|keineswegs|keinesfalls|mitnichten|symbolisch|scherz\p{L}*|entwurf\p{L}*|irrtüml\p{L}*|versehentlich|gerücht\p{L}*|außer|sofern|unter\sder\sbedingung|vorbehaltlich|c['’]était\sle\sp(?:lan|rojet)|failli|symboliquement|plaisant\p{L}+|canular|brouillon|par\serreur|rumeurs?|sauf|sous\sréserve|à\scondition|(?:ese|este)\sera\sel\splan|brom(?:a|e[óo])|siempre\sque|bulo|borrador|por\serror|rumor(?:es)?|salvo|excepto|a\scondición|scherz\p{L}+|questo\sera\sil\spiano|secondo\suna\svoce|bufala|bozza|per\serrore|tranne|a\scondizione|ess[ea]\sera\so\splano|brinc(?:adeira|ou)|boato|rascunho|por\sengano|exceto|desde\sque|(?:years?|decades?|centur(?:y|ies))\sago|vor\s\p{L}+\sjahren|il\sy\sa\s\p{L}+\sans|hace\s\p{L}+\saños|\p{L}+\sanni\sfa|há\s\p{L}+\sanos)(?![\p{L}])/giu;

/** A thing that was just told, a verb, and a word that takes it back: "the decision was reversed". */
export const REVERSED =
  /(?<![\p{L}])(?:(?:the|this|that|it|its|their|an?|which|both|these|d(?:er|ie|as|iese[rs]?)|l[ae]|cette|ce|el|los|las|est[ea]|il|quest[ao]|[oa]|ess[ea])\s|l['’])(?!(?:old|previous|temporary)\s\p{L}+\s(?:(?:has|had|have)\sbeen|was|is|were|are)\s(?:withdrawn|cancelled|revoked|rescinded))(?:\p{L}+\s){0,3}?(?:was|were|is|are|has|have|had|turned|turns|proved|proves|wurden?|war|ist|hat|est|était|fut|a\sété|es|era|fue|ha|è|fu|foi|é|tem)\s(?:\p{L}+\s){0,4}?(?:hoax|jok\p{L}+|prank|false|untrue|wrong|fake|mistake\p{L}*|errors?|erroneous|fabricat\p{L}+|invented|reversed|withdrawn|retracted|overturned|revoked|rescinded|cancel\p{L}+|annulled|undone|taken\sback|denied|premature|the\splan|scherz|der\splan|zurückgenommen|widerrufen|aufgehoben|falsch|erfunden|dementiert|falschmeldung|fau(?:x|sse)|canular|annulée?|retirée?|démentie?|fals[oaei]|bulo|broma|anulad[oa]|retirad[oa]|desmentid[oa]|revocad[oa]|bufala|annullat[oa]|ritirat[oa]|smentit[oa]|revocat[oa]|boato|revogad[oa])(?![\p{L}])/giu;

/** Denies nothing beside a figure: "well short of the target". */
export const SHORT_OF = /\bshort\sof\b/giu;

/** "denied the report" */
export const DENIED =
  /(?<![\p{L}])(?:den(?:y|ies|ied|ying)|refut(?:e[sd]?|ing)|disput(?:e[sd]?|ing)|dismiss(?:es|ed|ing)|reject(?:s|ed|ing)?)\s(?:\p{L}+\s){0,2}(?:reports?|claims?|rumou?rs?|stor(?:y|ies)|it|this|that|news|allegations?|announcement|statement)(?![\p{L}])/iu;

/** A forecast by voters or by a part of the votes. */
export const POLLS =
  /(?<!\p{L})(?:(?:exit|opinion)\spolls?|pollsters?|(?:early|partial)\s(?:returns|results|counts?)|projections?|(?:half|part|most|some|(?<![\d.])\d{1,2}(?:\.\d+)?\s?(?:%|percent|per\scent))\s(?:of\s)?(?:the\s)?(?:votes?|ballots|precincts|districts)\s(?:were\s)?counted|polls\s(?:show|suggest|indicate|put|give|point|had|have)|umfragen?|hochrechnung\p{L}*|sondages?|sondeos?|sondagg[io]|sondagem|sondagens)(?!\p{L})/iu;

/** "turnout among women": a share of a part. */
export const AMONG =
  /(?<!\p{L})(?:among(?:st)?|parmi|chez\sl\p{L}+|unter\sden|entre\s[ao]s|entre\sl[ao]s|[tf]ra\s(?:i|le|gli))(?!\p{L})/iu;

/** Words that make an event a narrower one, each kind for itself. */
export const NARROWER = [
  // "reopened": it was open before.
  /(?<!\p{L})(?:reop|wiederer|rouv|reab|riap)\p{L}+/iu,
  // "president-elect"
  /-elect(?!\p{L})|(?<!\p{L})designated?(?!\p{L})/iu,
  // "the mixed doubles"
  /(?<!\p{L})(?:doubles|mixed|wheelchair|veterans|masters|amateurs?|reserves|legends|doppel|dobles|doppio|duplas)(?!\p{L})/iu,
  // "the under-21 team"
  /(?<!\p{L})(?:(?:under|over|sub|u)-?|moins\sde\s)\d{2}s?(?![\d.,])/iu,
  // For a short time
  /(?<!\p{L})(?:for\s(?:an?|one|two|three|\d+|several|some|a\sfew)\s(?:minute|hour|day|night|weekend)s?|(?:pour|für|por|per)\s(?:une?|ein(?:en?)?|una?|uma?)\s(?:\p{L}+\s)?(?:nuit|jour(?:née)?|heure|nacht|tag|stunde|noche|día|hora|notte|giorno|ora|noite|dia)|(?:\d+|one|two|three|few)-(?:minute|hour|day|night)|temporar(?:y|ily)|briefly|overnight|provisionally|vorübergehend|zeitweise|temporaire(?:ment)?|provisoire(?:ment)?|temporalmente|temporaneamente|temporariamente|provisionalmente|provvisoriamente|provisoriamente)(?!\p{L})/iu,
];

/** "acquitted of one of three charges", "scored an own goal" */
export const PARTLY =
  /(?<!\p{L})(?:one|two|some|several|half|part)\sof\s(?:the|his|her|its|their|two|three|four|five|\d)|(?<!\p{L})own\sgoal/iu;
