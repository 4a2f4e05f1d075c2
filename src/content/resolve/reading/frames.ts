import { hostOf } from "./resolution-source.ts";
import { languageOf } from "./words.ts";

/**
 * Contexts in which sentences state nothing about the world: fiction, satire, games, tests, advertisements, comments,
 * bets, text of models and text that addresses its reader.
 */

const SATIRE_HOSTS = new Set(
  "theonion.com babylonbee.com der-postillon.com legorafi.fr elmundotoday.com thebeaverton.com waterfordwhispersnews.com thedailymash.co.uk newsthump.com clickhole.com nordpresse.be lercio.it sensacionalista.com.br".split(
    " ",
  ),
);

function oneOf(...lines: readonly string[]): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(?:${lines.join("|").replaceAll(" ", "\\s")})(?![\\p{L}\\d])`, "iu");
}

/** The words by which a page describes itself. */
const WHOLE = oneOf(
  "(?:is|are|a|our|of) (?:a )?(?:satir(?:e|ical)|parody) (?:site|website|news|publication|article|page|magazine|account|newspaper)",
  "satire news|satirical (?:content|purposes)|for entertainment purposes only",
  "this (?:\\p{L}+ )?is (?:a )?(?:work of |piece of )?(?:pure )?(?:satire|parody|fiction|satirical|fictional|fan fiction|hypothetical|simulated)",
  "(?:nothing|none of (?:it|this|these)) (?:[\\p{L}'’-]+ ){0,6}(?:is|was|are|were) true",
  "(?:all|every one|none) (?:of )?(?:our|these|the) (?:articles|stories|reports) (?:are|is) (?:entirely |completely |purely )?(?:invented|made[- ]up|fake|true|real)",
  "work of fiction|any resemblance to|fan ?fiction|fictional (?:scenario|story|account|world|universe)|fictitious|alternate history|short story|thought experiment",
  "satire-?(?:magazin|seite|zeitung|beitrag)|(?:diese|dies) (?:\\p{L}+ )?ist (?:frei )?(?:erfunden|satire|fiktion)|frei erfunden\\p{L}*|fiktive[nrs]? (?:geschichte|szenario|roman)",
  "site (?:satirique|parodique)|(?:œuvre|oeuvre) de fiction|(?:sitio|web|periódico|diario) satírico|obra de ficción|sito satirico|opera di fantasia|site (?:satírico|humorístico)|obra de ficção",
  "sponsored (?:content|post|article)|paid (?:post|content|promotion|partnership)|advertorial|advertisement feature|anzeige|publireportage|contenu sponsorisé|contenido patrocinado|publirreportaje|contenuto sponsorizzato|publieditorial|conteúdo patrocinado",
  "(?:ai|machine|chatgpt|gpt)[- ]generated|(?:generated|written|produced|answered) by (?:an? )?(?:ai|artificial intelligence|chatgpt|(?:large )?language model|chatbot|gpt\\S*)|ai (?:answer|overview|summary|response)|von (?:einer )?ki (?:erstellt|generiert)|ki-generiert\\p{L}*|générée? par (?:une )?ia|generad[oa] por (?:una )?ia|generat[oa] (?:dall['’]|da )ia|gerad[oa] por ia",
  "lorem ipsum|placeholder text|sample (?:text|article)|dummy text|example text|test page|for (?:illustration|illustrative purposes|training|demonstration)(?: purposes)?(?: only)?|beispieltext|texte d['’]exemple|texto de ejemplo|testo di esempio|texto de exemplo",
  "april fool\\S*|aprilscherz|poisson d['’]avril|pesce d['’]aprile",
);
/** The words by which a title describes its page. */
const GENRE = oneOf(
  "quiz(?:zes)?|trivia|crosswords?|puzzles?|riddles?|sudoku|horoscopes?|fan fiction|a novel|satire|parody|screenplay|simulations?|hypotheticals?|scenarios?|exercises?|worksheets?|templates?|(?<!(?:beat|top|miss|exceed|defie|above|below|despite)(?:e?s|ed|ing)? (?:\\p{L}+ )?)(?:predictions?|forecasts?)|odds|betting|opinion|role-?play\\p{L}*|dreams?|advertisement|role-?playing|video ?games?|cheat ?codes?|what if",
  "rätsel|kreuzworträtsel|roman|vorhersagen?|prognosen?|wettquoten|kommentare|werbung|szenario|übung|mots croisés|devinette|pronostics?|commentaires|publicité|scénario|exercice|crucigrama|acertijo|novela|pronósticos?|comentarios|publicidad|escenario|ejercicio|cruciverba|indovinello|romanzo|pronostici?|commenti|pubblicità|esercizio|palavras cruzadas|adivinha|romance|palpites?|comentários|publicidade|cenário|exercício",
);
/** Introductions of statements that hold only in a text, a mind or a market. */
const INTRODUCES = oneOf(
  "prediction for|imagin(?:e|es|ed|ing|ary)|suppose|supposing|pretend(?:s|ing)?|picture (?:this|the scene|a)|what if|let['’]?s (?:say|assume|imagine|pretend)|assum(?:e|ing) that|hypothetical(?:ly)?|once upon a time|make-believe|thought experiment|alternate (?:history|timeline|reality)|parallel universe|simulat(?:ed|ion|ions)|a dream|dream(?:ed|t|s)? (?:that|of|about)",
  "(?:in|from) (?:the|this|an?|our|my|his|her|their|its|(?:[\\p{L}.-]+ ){0,2}[\\p{L}-]+['’]s) (?:[\\p{L}-]+ ){0,3}(?:novel(?! (?:corona)?virus)|thriller|fairy tale|screenplay|sitcom|soap opera|board game|video ?game|computer game|role-?playing game|fan ?fiction|comic|sketch|crossword|puzzle|riddle|quiz|parody|satire|fantasy league|fable|musical comedy|storyline|plot|scenario|mock trial|fictional \\p{L}+|dreams?|imagination)",
  "fictional|fictitious|satirical|crossword|clue|\\d+ (?:across|down)|quiz|trivia|riddle|multiple choice|true or false|fill in the (?:blank|gap)s?|translate (?:the|this|into)|example sentence|sample sentence|grammar|dictation|lorem ipsum|placeholder|template|mock-?up|dummy|test (?:data|message|page)",
  "advertisement|sponsored|promoted (?:by|post|posts|content|story|article)|advertorial|paid content|comments? (?:by|from|section)|commenters?|user \\S+ (?:wrote|posted|says|said)|posted by|reader(?:s['’]?|['’]s)? (?:letters?|comments?|opinions?)|letters? to the editor|forum (?:posts?|users?|threads?|members?)|upvotes?|subreddit",
  "ai[- ](?:generated|answer|overview|summary)|chatbot|language models?|(?:asked )?(?:chatgpt|gemini|copilot|claude|gpt\\S*)(?:['’]s (?:answer|reply|response)|:| (?:says?|said|answer\\p{L}*|repli\\p{L}*|respon\\p{L}*|wrote|writes|claim\\p{L}*|thinks?))|asked (?:chatgpt|gemini|copilot|claude)|artificial intelligence (?:answered|wrote|says)",
  "(?:markets?|traders|investors|futures) (?:(?:had|have|were|are) )?(?:fully )?pric(?:e|ed|ing)|(?<!against (?:the|all) )odds|bookmakers?|bookies|bettors?|betting|wager\\p{L}*|punters|prediction markets?|polymarket|kalshi|manifold|predictit|metaculus|implied probability|(?:yes|no) shares?|shares? of (?:yes|no)|traders (?:price|put|give)\\p{L}*|priced? at \\d+ cents?|market (?:odds|implies)",
  "dear (?:reader|friends?|subscribers?|ai|assistant)|note to (?:readers?|self)|april fools?\\S*|horoscope|astrolog\\p{L}+|psychic|prophe(?:cy|sied|t|ts)|rumou?r has it",
  "stell(?:en|t)? (?:sie|dir|euch|wir uns) (?:sich )?vor|angenommen|nehmen wir an|was wäre,? wenn|es war einmal|im (?:roman|film|spiel|videospiel|krimi|märchen|traum|quiz|kreuzworträtsel)|kreuzworträtsel|rätsel|fiktiv\\p{L}*|wettquoten?|wettanbieter|buchmacher|leserbriefe?|chatbot|sprachmodell\\p{L}*|beispielsatz",
  "imagin(?:ez|ons)|supposons|et si|il était une fois|dans (?:le|son|un|ce) (?:roman|film|jeu|rêve|conte)|mots croisés|devinette|fictif|fictive|bookmakers|parieurs|courrier des lecteurs|phrase d['’]exemple",
  "imagin(?:a|e|emos|en)|supongamos|y si|érase una vez|en (?:la|su|una|esta) (?:novela|película|serie)|crucigrama|acertijo|adivinanza|fictici[oa]s?|apuestas|casas de apuestas|cartas al director|frase de ejemplo",
  "immagin(?:a|ate|iamo)|supponiamo|c['’]era una volta|nel (?:romanzo|film|gioco|videogioco|sogno)|cruciverba|indovinello|immaginari[oa]|scommesse|scommettitori|lettere al direttore|frase di esempio",
  "suponhamos|imaginem|era uma vez|no (?:romance|filme|jogo|sonho)|palavras cruzadas|adivinha|fictíci[oa]s?|apostas|casas de apostas|cartas ao (?:diretor|leitor)|frase de exemplo",
);
/** A line that heads comments, advertisements or a chapter. */
const HEADS =
  /^\W*(?:(?:chapter|kapitel|chapitre|cap[ií]tulo|capitolo)\s\S+|\S+\s(?:kapitel|capitolo))\W*$|^\W*(?:\d+\s|(?:user|reader)s?['’]?\s|top\s|all\s)?(?:comments?|repl(?:y|ies)|discussion|advertisement|sponsored|promoted|ad|kommentare?|anzeige|werbung|commentaires?|publicité|comentarios?|publicidad|commenti|pubblicità|comentários|publicidade)(?![\p{L}]).{0,50}$/iu;
/** "You", outside quotations: the sentence speaks to its reader. */
const SECOND_PERSON =
  /(?<![\p{L}'’])(?:you|your|yours|yourself)(?![\p{L}])|(?<=[\p{Ll},;]\s)(?:Sie|Ihnen|Ihre[nmrs]?)(?![\p{L}])|(?<![\p{L}])(?:dich|dir|dein\p{L}*|euch|vous|votre|vos|usted(?:es)?|vosotros|você|vocês)(?![\p{L}])/u;
/** In French, this is an article. */
const GERMAN_YOU = /(?<![\p{L}])du(?![\p{L}])/u;
const QUOTED = /["“„«][^"“”„«»]{0,400}["”»“]|»[^«»]{0,400}«/gu;

/** Labels before a colon that do not take back what follows: "Update:", "Result:". */
const LABEL = /^([^:.!?]{1,60}):\s+(?=\S)/u;
/** A date, a number or a name without a verb. "Director: Vera Lund" is an entry, and no speech. */
const ENTRY =
  /^\d[^:.]{0,50}\.?$|^(?:\p{Lu}\S*\s)+(?:with|mit|avec|con|com)\s\d[^:.]{0,60}\.?$|^(?:[\p{Lu}\d][^\s]*(?:\s|$)|(?:of|the|and|von|und|de|la|et|y|e|di|da|do)\s|\([^)]*\)\.?)+$/u;
const NEWS_LABEL = oneOf(
  "(?:an? )?(?:live |latest |news |official |final |full |election |match |breaking )?(?:update|updated|correction|clarification|breaking|news|latest|results?|final|official(?:ly)?|confirmed|full[- ]time|summary|answer|announcement|statement|report|in brief|key (?:facts?|points?)|outcome|status|decision|score|fact|just in|developing|headline|verdict|conclusion|ruling|rating|order|judge?ment|item|minutes|editor['’]s note)|fallo|sentencia|resolución|décision|arrêt|entscheidung|beschluss|urteil|decisione|sentenza|delibera|decisão|acórdão|sentença|estado|stand",
  "eilmeldung|aktualisier\\p{L}+|korrektur|richtigstellung|ergebnis|mise à jour|dernière minute|résultats?|correctif|rectificatif|actualización|última hora|resultados?|corrección|fe de erratas|aggiornamento|ultim['’]ora|risultati?|rettifica|atualização|urgente|correção|offiziell|officiel|oficial|ufficiale",
);
/** Characters at both ends of a page in which the page may describe itself. */
const IMPRINT = 3_000;
/** A sentence of at most this length introduces the text that follows it. */
const HEADING = 90;
/** The end of a sentence that introduces the next one. */
const ANNOUNCES =
  /(?:\bfollow(?:ing|s)|folgende\p{L}*|suivante?s?|siguientes?|seguent[ei]|seguintes?)\b[^.:]{0,40}[.:]?$|:$/iu;
/** The speaker of a line of a play. */
const SPEAKER = /^\p{Lu}[\p{Lu}\s.'’-]+\s\([^)]{1,60}\)$/u;

/** A page's contexts: whether it is unreal as a whole, or a sentence of it. */
export class Frames {
  readonly #isUnreal: boolean;
  readonly #isGerman: boolean;
  #isIntroduced = false;
  #isAnnounced = false;

  constructor(url: string, title: string, text: string) {
    const host = hostOf(url);
    this.#isGerman = languageOf(text) === "de";
    this.#isUnreal =
      (host !== undefined && SATIRE_HOSTS.has(host)) ||
      WHOLE.test(title) ||
      GENRE.test(title) ||
      WHOLE.test(text.slice(0, IMPRINT)) ||
      WHOLE.test(text.slice(-IMPRINT));
  }

  /** Whether a sentence introduces an unreal context. */
  introduces(sentence: string): boolean {
    return INTRODUCES.test(sentence) || HEADS.test(sentence);
  }

  /** Whether a sentence states nothing. Expects the sentences of the page in order. `isTopic` recognises the question's words. */
  isUnreal(sentence: string, isIntroduction: boolean, isTopic: (text: string) => boolean): boolean {
    const isOwn = isIntroduction || isLabelled(sentence, isTopic) || speaksTo(sentence, this.#isGerman);
    const isUnreal = this.#isUnreal || this.#isIntroduced || this.#isAnnounced || isOwn;
    if (isIntroduction && sentence.length <= HEADING) this.#isIntroduced = true;
    this.#isAnnounced = isOwn && ANNOUNCES.test(sentence);
    return isUnreal;
  }

  /** Passes a sentence that speaks to a program. If it introduces the next one, that one states nothing either. */
  passOver(sentence: string): void {
    this.#isAnnounced = ANNOUNCES.test(sentence);
  }
}

/** Whether a line is an entry of a register or a list: a label, a colon, and a value without a verb. */
export function isEntry(sentence: string): boolean {
  const label = LABEL.exec(sentence)?.[0];
  return label !== undefined && ENTRY.test(sentence.slice(label.length));
}

function isLabelled(sentence: string, isTopic: (text: string) => boolean): boolean {
  const label = LABEL.exec(sentence)?.[1];
  // "My uncle:" names a speaker. A longer label is a sentence of its own.
  return (
    label !== undefined &&
    (SPEAKER.test(label) ||
      (label.split(/\s+/u).length <= 2 &&
        !isEntry(sentence) &&
        (!NEWS_LABEL.test(label) || /\s\d+$/u.test(label)) &&
        !isTopic(label) &&
        label !== label.toUpperCase()))
  );
}

function speaksTo(sentence: string, isGerman: boolean): boolean {
  const own = sentence.replace(QUOTED, " ");
  return SECOND_PERSON.test(own) || (isGerman && GERMAN_YOU.test(own));
}
