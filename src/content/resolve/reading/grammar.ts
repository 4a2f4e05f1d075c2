import { classesOf, type WordClass } from "./word-classes.ts";
import { type Language } from "./words.ts";

/**
 * The closed classes of a language: function words, and the few verbs that decide whether their complement is asserted. A
 * complement of any other verb or noun is not asserted. A word with a star is a prefix.
 */
export interface Grammar {
  readonly be: WordClass;
  readonly have: WordClass;
  readonly modal: WordClass;
  readonly not: WordClass;
  readonly determiner: WordClass;
  readonly preposition: WordClass;
  /** Prepositions of the agent of a passive. */
  readonly by: WordClass;
  /** Conjunctions whose clause is open. */
  readonly open: WordClass;
  /** Conjunctions and relative pronouns whose clause is a fact. */
  readonly clause: WordClass;
  /** Conjunctions that introduce the complement of a verb of saying. */
  readonly that: WordClass;
  readonly and: WordClass;
  readonly pronoun: WordClass;
  /** Verbs, nouns and adjectives whose complement is asserted. */
  readonly says: WordClass;
  /** The same, if the complement is denied. */
  readonly denies: WordClass;
  /** The same, if the complement is a view. */
  readonly doubts: WordClass;
  /** Verbs whose infinitive happens. */
  readonly does: WordClass;
  /** Adverbs and adjectives that make their clause uncertain. */
  readonly hedge: WordClass;
  /** Verbs that carry out a noun: "gave approval". */
  readonly light: WordClass;
  /** Endings of infinitives, and of the future and the conditional. */
  readonly infinitive: RegExp;
  readonly future: RegExp;
  readonly to: WordClass;
}

export interface Reader {
  readonly grammar: Grammar;
  readonly language: Language;
}

type Classes = Exclude<keyof Grammar, "infinitive" | "future">;

function grammarOf(infinitive: RegExp, future: RegExp, classes: string): Grammar {
  return { ...classesOf<Classes>(classes), infinitive, future };
}

const NEVER = /(?!)/;

/** The grammars of the languages that are read. Each line has the words of one class. */
export const GRAMMARS: Readonly<Record<Language, Grammar>> = {
  en: grammarOf(
    NEVER,
    NEVER,
    `
be: be is are was were been being am got gets get isn't wasn't aren't weren't
have: have has had having haven't hasn't hadn't do does did don't doesn't didn't
modal: will would shall should can could may might must ought going due set about won't wouldn't shouldn't can't couldn't cannot expected scheduled slated poised likely ready supposed bound 'll 'd
not: not never no none nobody nor neither nothing cannot n't hardly barely scarcely isn't wasn't aren't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't can't couldn't without
determiner: the a an this that these those its his her their our my your each every another any some both all no first second third last latest new s
preposition: of in inside on onto at above below to for from by with about into over after before between under during against through until as per via than without within since despite following amid among across near behind beyond like off out up down toward towards
by: by
open: if unless whether until till lest provided suppose supposing once when whenever where how why wherever could should
clause: who which whose whom because although though while after before since as where so despite whereas
that: that
and: and or but then nor
pronoun: he she it they we i you him her them who there this
says: say* said report* announc* confirm* state stated states show* reveal* add* not* wr* not* told tell* true clear official certain fact record* know* known declar* rul* found find* learn* admit* acknowledg* publish* not* document* prov* emerg* verif* certif* list* given news result* regret* welcom* deplor* lament* notic* means meaning mean evidence proof indication sign record basis truth
denies: fail* close nearer refus* declin* unable deny denies denied denying denial* reject* refut* avoid* prevent* block* stop* halt* false untrue incorrect wrong hoax myth dismiss* disprov* debunk* instead rather lack lacks lacked lacking neglect* short yet without nobody none neither unwilling miss misses missed missing disput*
doubts: guid* claim* alleg* believ* think* thought hop* fear* expect* suspect* suspic* assum* wish* want* insist* guess* predict* argu* suggest* doubt* imagin* speculat* rumou* feel* felt consider* forecast* bet bets plan plans plann* propos* demand* urg* ask* seek* sought try tries tried trying attempt* vow* pledg* promis* threat* call calls called calling push* aim* intend* prepar* warn* recommend* want* need* campaign* appeal* petition* bid lobb* pretend* accus* agree agrees agreed agreeing want* offer* consider* chance* likel* possib* unlikely conditional eligible appl* motion
does: manag* able went came proceed* vot* forc* help* first only last latest youngest oldest go chose decid* happen* turn* got began begin* start* continu* man woman person people country team club one
hedge: tracking reportedly allegedly alleged supposedly purportedly apparently possibly probably perhaps maybe likely unlikely potentially unconfirmed almost nearly virtually presumably seemingly rumoured rumored tentatively hypothetically provisional provisionally conditional conditionally theoretically unofficially unofficial preliminary partially partly
light: give* gave issu* won win* receiv* secur* grant* obtain* get gets got gain* took tak* tender* submit* suffer* complet* reach* struck strik* celebrat* seal* clinch* hand* announc* sign* score* record* made accept* report* clos* finali*
to: to
`,
  ),
  de: grammarOf(
    /(?:e[lr]?n)$/,
    NEVER,
    `
be: ist sind war waren wurde wurden worden werden bin sei seien gewesen lag lagen liegt liegen
have: hat haben hatte hatten habe
modal: wird werde will wollen wollte soll sollen sollte sollten kann konnen konnte konnten durfte darf muss mussen musste mochte
not: nicht kein keine keinen keinem keiner nie niemals niemand nichts weder ohne kaum
determiner: der die das den dem des ein eine einen einem einer eines dieser diese dieses sein seine seinen seinem seiner seines ihr ihre ihren ihrem ihrer ihres kein keine
preposition: in im an am auf aus bei mit nach von vom vor zu zum zur fur uber unter gegen durch um bis seit wahrend wegen ohne zwischen ab laut
by: von vom durch
open: wenn falls ob sofern solange bis sobald
clause: das weil da obwohl nachdem bevor wahrend wobei welche welcher welches als indem
that: dass
and: und oder aber sondern doch sowie
pronoun: er sie es wir ich ihn ihm
says: sagt* sagte* teil* mitgeteilt bericht* melde* bestatig* erklar* bekannt gab geben zeig* wahr klar fest offiziell verkund* bedauer* begruss*
denies: verzicht* bestreit* bestritt* dementier* scheiter* weiger* lehn* abgelehnt verhinder* falsch unwahr verfehl* versaum* leugn* verneint* anstatt statt ohne
doubts: behaupt* glaub* hoff* furcht* erwart* vermut* mein* plan* will beabsichtig* forder* verlang* versprach* versprech* droh* schlag* vorschlag* versuch* bitte* erwag* rechne* spekul* prognos* kundig* angekundig* streb* angeblich will
does: gelang gelungen beschloss* entschi* vermocht*
hedge: angeblich moglicherweise vielleicht wohl mutmasslich vermutlich wahrscheinlich voraussichtlich fast beinahe nahezu womoglich inoffiziell vorlaufig offenbar teilweise
light: erhielt* erhalten erteil* erzielt* errang errungen reicht* eingereicht feier* gab bekam angenommen akzeptier*
to: zu um
`,
  ),
  fr: grammarOf(
    /(?:er|ir|re|oir)$/,
    /(?:era|eront|ira|iront|dra|dront|erait|eraient|irait|iraient|drait|vra|vront)$/,
    `
be: est sont etait etaient fut furent ete etre soit
have: a ont avait avaient ai as avons eu avoir
modal: va vont doit doivent devrait devraient pourrait pourraient peut peuvent veut veulent voudrait sera seront serait seraient aura auront aurait auraient compte comptent
not: ne n' pas jamais aucun aucune ni personne rien sans nul non guere
determiner: le la les l' un une des du de d' ce cet cette ces son sa ses leur leurs au aux
preposition: de d' du des à au aux en dans pour par sur avec contre vers chez entre depuis apres avant pendant lors selon sans sous des
by: par
open: si quand lorsque lorsqu' tant jusqu' comment pourquoi afin
clause: qui dont parce car alors apres puisque puisqu' tandis
that: que qu'
and: et ou mais puis
pronoun: il elle ils elles on je nous vous lui t
says: dit declar* annonc* confirm* indiqu* affirme rapport* revel* precis* montr* vrai officiel certain etabl* constat* ajout* regrett* deplor* salu* rappel*
denies: renonc* dement* nie nient refus* echou* faux fausse rejet* empech* evit* manqu* contest*
doubts: pretend* prevision* croi* cru pens* esper* crain* estim* suppos* souhait* veut veulent demand* propos* envisag* prevoi* prevu* promet* promi* menac* tent* essa* appel* cherch* compt* pari* soupconn* exig* reclam* accus* allegu*
does: reussi* parvenu parvient parvien* vient viennent vot* decid*
hedge: peut-etre probablement sans doute possiblement apparemment presque quasi pretendument vraisemblablement eventuellement presumee presume officieusement provisoire* preliminaire* partiellement
light: remport* obten* obtient recu donn* present* decroch* signe subi* accept*
to: de d' à pour
`,
  ),
  es: grammarOf(
    /(?:ar|er|ir|arse|erse|irse)$/,
    /(?:ara|aran|era|eran|ira|iran|dra|dran|aria|arian|eria|erian|iria|irian|dria|drian)$/,
    `
be: es son fue fueron era eran sido ser esta estan estaba estuvo
have: ha han habia habian he hemos hubo haya haber
modal: va van puede pueden podria podrian podra debe deben deberia quiere quieren sera seran seria serian habra habria tendra planea
not: no nunca jamas ningun ninguna ninguno nadie nada tampoco ni sin
determiner: el la los las lo un una unos unas del al este esta ese esa su sus
preposition: de del a al en por para con contra sobre desde hasta entre sin segun tras durante ante hacia
by: por
open: si cuando como donde mientras hasta
clause: quien quienes cual cuyo porque pues tras ya
that: que
and: y e o u pero sino
pronoun: ella ellos ellas yo nosotros le se
says: dijo dice* anunci* confirm* inform* declar* report* revel* senal* indic* mostr* verdad cierto oficial public* comunic* anad* lament* celebr*
denies: renunci* neg* nieg* desmint* desmient* rechaz* fracas* falso falsa fall* evit* imp* rehus* descart*
doubts: afirm* asegur* cree* crey* piens* esper* tem* supon* quier* quis* pid* pidi* propus* propon* prev* prom* amenaz* intent* trat* busc* exig* reclam* estim* apuest* plane* aspir*
does: logr* consigui* consigue* acab* lleg* decid* vot*
hedge: quiza quizas tal probablemente posiblemente supuestamente presuntamente aparentemente casi presunto presunta acaso extraoficialmente parcialmente provisional* preliminar*
light: logr* obtuv* recib* dio present* consigui* gan* sufri* acept*
to: a de para
`,
  ),
  it: grammarOf(
    /(?:are|ere|ire|arsi|ersi|irsi)$/,
    /(?:era|eranno|ira|iranno|ra|ranno|erebbe|erebbero|irebbe|rebbe|rebbero)$/,
    `
be: è sono era erano fu furono stato stata stati state essere viene vengono venne vennero
have: ha hanno aveva avevano ho abbia aver avere
modal: puo possono potrebbe potrebbero deve devono dovrebbe dovrebbero vuole vogliono vorrebbe sara saranno sarebbe sarebbero avra avrebbe avranno sta stanno
not: non mai nessun nessuno nessuna niente nulla ne neppure neanche senza
determiner: il lo la i gli le l' un uno una un' del dello della dei degli delle dell' al allo alla agli alle nel nella questo questa suo sua suoi
preposition: di del della dello dei degli delle dell' a al alla allo all' da dal dalla dall' in nel nella nell' nei nelle negli con su sul sulla sull' sui sulle sugli dai dalle dagli per tra fra contro dopo prima durante verso entro secondo senza
by: da dal dalla dallo dai dagli dalle dall'
open: se quando qualora finche come dove affinche
clause: chi cui quale perche poiche mentre dopo siccome
that: che
and: e ed o ma oppure
pronoun: egli lui lei essi loro io noi si
says: detto dice* disse annunci* conferm* dichiar* riport* rivel* comunic* rifer* reso vero ufficiale mostr* aggiun* precis* lament* ricord*
denies: rinunci* neg* smenti* rifiut* falso falsa fall* respin* evit* impedi* esclu*
doubts: sostien* afferm* cred* pens* sper* tem* suppon* vuol* chied* chiest* propo* preved* prevision* previst* promet* promess* minacc* tent* cerc* pretend* auspic* ipotizz* mira* punta*
does: riusci* decis* deciso vot* finito
hedge: forse probabilmente possibilmente presumibilmente presunto presunta quasi apparentemente pare sembra verosimilmente parzialmente provvisori* preliminar*
light: otten* ricev* dato rassegn* conquist* subi* present* accett* accolt*
to: di a per da
`,
  ),
  pt: grammarOf(
    /(?:ar|er|ir|or)$/,
    /(?:ara|arao|era|erao|ira|irao|aria|ariam|eria|eriam|iria|iriam)$/,
    `
be: é sao foi foram era eram sido ser esta estao estava esteve
have: tem tinha ha havia tinham teve tendo ter
modal: vai vao pode podem poderia poderiam podera deve devem deveria quer querem sera serao seria seriam tera teria pretende
not: nao nunca jamais nenhum nenhuma ninguem nada nem sem tampouco
determiner: o a os as um uma uns umas do da dos das no na ao este esta esse essa seu sua seus
preposition: de do da dos das a à ao aos em no na nos nas por pelo pela pelos para com contra sobre desde ate entre sem segundo apos durante sob
by: por pelo pela pelos pelas
open: se quando caso enquanto como onde ate
clause: quem cujo porque pois qual apos
that: que
and: e ou mas
pronoun: ele ela eles elas eu nos se
says: disse diz* anunci* confirm* inform* declar* report* revel* indic* mostr* verdade oficial public* comunic* acrescent* lament* lembr*
denies: renunci* neg* desment* rejeit* fracass* falso falsa falh* evit* imped* recus* descart*
doubts: afirm* alega* acredit* acha* pens* esper* supo* quer* ped* propo* prev* promet* ameac* tent* busc* exig* estim* apost* planej* pretend*
does: consegui* decidi* vot* acab* chegou
hedge: talvez provavelmente possivelmente supostamente alegadamente aparentemente quase suposto suposta porventura parcialmente provisori* preliminar*
light: obte* receb* deu apresent* conquist* sofre* aceit*
to: a de para
`,
  ),
};

/** Whether a word is an auxiliary, an article, a preposition, a pronoun, a negation or a conjunction. */
export function isFunctionWord(text: string, grammar: Grammar): boolean {
  const { be, have, modal, determiner, preposition, pronoun, and, not, that, clause, open } = grammar;
  return (
    [be, have, modal, determiner, preposition, pronoun, and, not, that, clause, open].some((words) =>
      words.has(text),
    ) && !ORDINAL.test(text)
  );
}

/** Determiners that tell things apart: "the first Lyra". */
const ORDINAL = /^(?:first|second|third|last|latest|new|expected|scheduled|likely|ready|supposed|bound|due|set)$/u;
