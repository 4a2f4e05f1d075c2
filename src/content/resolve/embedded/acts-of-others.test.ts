import { describeSides } from "../testing/describe-sides.ts";

/** Questions about an act, and sentences about acts of others, on others, and of another kind. */
describeSides({
  "Did the Ferrow bridge close because of the flood and reopen by July 2026?": {
    "": ["The Ferrow bridge closed because of the flood.", "The Ferrow bridge reopened on 20 June 2026."],
  },
  "Did Castor Air not receive its operating licence by 30 June 2026?": {
    YES: ["Castor Air did not receive its operating licence by 30 June."],
    NO: ["Castor Air received its operating licence on 12 June 2026."],
    "": [
      "Castor Air received its parking licence on 12 June 2026.",
      "Castor Air applied for its operating licence on 12 June 2026.",
      "Castor Air lost its operating licence in 2024.",
      "Castor Cargo did not receive its operating licence by 30 June.",
    ],
  },
  "Did the Merrow council refuse planning permission for the Dene wind farm?": {
    YES: [
      "The Merrow council refused planning permission for the Dene wind farm.",
      "Planning permission for the Dene wind farm was refused by the Merrow council.",
    ],
    "": [
      "The Merrow council refused to discuss planning permission for the Dene wind farm.",
      "The Merrow council refused planning permission for the Dene solar farm.",
      "The Merrow planning officer recommended refusing permission for the Dene wind farm.",
      "The Merrow council deferred the decision on planning permission for the Dene wind farm.",
      "The Tarn council refused planning permission for the Dene wind farm.",
      "The minister overturned the Merrow council's refusal of planning permission for the Dene wind farm.",
    ],
  },
  "Was the striker Ivo Renn sold to Velmoor United by 31 August 2026?": {
    YES: [
      "Ivo Renn was sold to Velmoor United on 28 August 2026.",
      "Velmoor United bought Ivo Renn from Ashcombe on 28 August.",
    ],
    NO: ["Ivo Renn was sold to Merrow City on 28 August 2026."],
    "": [
      "Ivo Renn was loaned to Velmoor United on 28 August 2026.",
      "Ivo Renn was sold by Velmoor United on 28 August 2026.",
      "Ivo Renn's house was sold to Velmoor United on 28 August 2026.",
      "Ivo Renn's shirt was sold to a Velmoor United fan on 28 August 2026.",
      "Velmoor United sold Ivo Renn on 28 August 2026.",
      "Velmoor United agreed terms with Ivo Renn on 28 August 2026.",
      "Ivo Renn turned down Velmoor United on 28 August 2026.",
      "Tickets for Ivo Renn's first match against Velmoor United were sold on 28 August.",
    ],
  },
  "Did the regulator fine Tecnova over the data leak?": {
    YES: [
      "The regulator fined Tecnova over the data leak.",
      "Tecnova was fined 4 million euros by the regulator over the data leak.",
    ],
    NO: ["The regulator decided not to fine Tecnova over the data leak."],
    "": [
      "The regulator fined Tecnova over late accounts.",
      "The regulator threatened to fine Tecnova over the data leak.",
      "The court fined Tecnova over the data leak.",
      "The regulator fined Tecnova's supplier over the data leak.",
      "Tecnova fined an employee over the data leak.",
      "The regulator fined Datanova over the data leak.",
      "The regulator's fine for Tecnova over the data leak was quashed.",
      "The regulator proposed a fine for Tecnova over the data leak.",
      "The regulator can fine Tecnova over the data leak.",
    ],
  },
  "Did Queen Maude abdicate in 2026?": {
    YES: ["Queen Maude abdicated on 4 May 2026."],
    "": [
      "Queen Maude's cousin King Rolf abdicated on 4 May 2026.",
      "King Rolf abdicated in favour of Queen Maude on 4 May 2026.",
      "Queen Maude refused to abdicate on 4 May 2026.",
      "A play about Queen Maude, who abdicates in the last act, opened on 4 May 2026.",
      "Queen Maude I abdicated in 1926.",
    ],
  },
  "Will Dorn be admitted to the Meridian Union in 2026?": {
    YES: ["Dorn was admitted to the Meridian Union on 1 July 2026."],
    "YES?": ["Dorn was admitted to the Meridian Union's customs area on 1 July 2026."],
    "": [
      "Dorn's president was admitted to the Meridian hospital on 1 July 2026.",
      "Dorn left the Meridian Union on 1 July 2026.",
      "The Meridian Union opened talks with Dorn on 1 July 2026.",
      "Varno was admitted to the Meridian Union on 1 July 2026.",
    ],
  },
  "Did the jury find Ada Crewe guilty of fraud?": {
    YES: [
      "The jury found Ada Crewe guilty of fraud.",
      "Ada Crewe was found guilty of fraud by the jury.",
      "Ada Crewe was convicted of fraud.",
    ],
    NO: [
      "The jury acquitted Ada Crewe of fraud.",
      "Ada Crewe was cleared of fraud.",
      "The jury found Ada Crewe not guilty of fraud.",
    ],
    "YES?": [
      "The jury found Ada Crewe guilty of perjury.",
      "The judge found Ada Crewe guilty of contempt.",
      "The jury that found Ada Crewe guilty of fraud was discharged for bias.",
    ],
    "": [
      "The jury found Ada Crewe's partner guilty of fraud.",
      "The prosecutor told the jury that Ada Crewe was guilty of fraud.",
      "The jury failed to reach a verdict on Ada Crewe.",
      "Ada Crewe pleaded guilty to fraud.",
      "The jury found Adam Crewe guilty of fraud.",
    ],
  },
  "Hat das Verwaltungsgericht die Baugenehmigung für das Stadion Rehberg aufgehoben?": {
    YES: [
      "Das Verwaltungsgericht hat die Baugenehmigung für das Stadion Rehberg aufgehoben.",
      "Die Baugenehmigung für das Stadion Rehberg wurde vom Verwaltungsgericht aufgehoben.",
    ],
    NO: ["Das Verwaltungsgericht hat die Baugenehmigung für das Stadion Rehberg bestätigt."],
    "YES?": ["Das Verwaltungsgericht hat die Baugenehmigung für das Parkhaus am Stadion Rehberg aufgehoben."],
    "": [
      "Das Landgericht hat die Baugenehmigung für das Stadion Rehberg aufgehoben.",
      "Das Verwaltungsgericht hat den Baustopp für das Stadion Rehberg aufgehoben.",
      "Das Verwaltungsgericht verhandelte über die Baugenehmigung für das Stadion Rehberg.",
      "Das Oberverwaltungsgericht hat das Urteil des Verwaltungsgerichts zur Baugenehmigung für das Stadion Rehberg aufgehoben.",
      "Anwohner wollen, dass das Verwaltungsgericht die Baugenehmigung für das Stadion Rehberg aufhebt.",
      "Das Verwaltungsgericht hat eine Auflage der Baugenehmigung für das Stadion Rehberg aufgehoben.",
    ],
  },
  "Wechselte Ivo Renn im Sommer 2026 zu Velmoor?": {
    YES: ["Ivo Renn wechselte am 3. Juli 2026 zu Velmoor."],
    "": [
      "Ivo Renn wechselte am 3. Juli 2026 von Velmoor zu Merrow.",
      "Ivo Renns Bruder wechselte am 3. Juli 2026 zu Velmoor.",
    ],
  },
  "Le tribunal administratif a-t-il annulé le permis de construire du stade Rehberg ?": {
    YES: [
      "Le tribunal administratif a annulé le permis de construire du stade Rehberg.",
      "Le permis de construire du stade Rehberg a été annulé par le tribunal administratif.",
    ],
    NO: ["Le tribunal administratif a validé le permis de construire du stade Rehberg."],
    "": [
      "Le tribunal administratif a annulé le permis de démolir du stade Rehberg.",
      "Le tribunal administratif a suspendu le permis de construire du stade Rehberg.",
      "La cour d'appel a annulé le permis de construire du stade Rehberg.",
      "Le rapporteur public a demandé au tribunal administratif d'annuler le permis de construire du stade Rehberg.",
      "Le tribunal administratif a annulé la suspension du permis de construire du stade Rehberg.",
      "Le tribunal administratif a refusé d'annuler le permis de construire du stade Larny.",
    ],
  },
  "¿Fue condenada Ada Crespo por fraude?": {
    YES: ["Ada Crespo fue condenada por fraude."],
    "NO?": ["Ada Crespo fue absuelta de fraude."],
    "": [
      "Ada Crespo fue condenada por cohecho.",
      "El socio de Ada Crespo fue condenado por fraude.",
      "Ada Crespo fue acusada de fraude.",
      "La fiscalía pidió que Ada Crespo fuera condenada por fraude.",
      "Ada Crespo condenó el fraude.",
    ],
  },
  "Il tribunale ha condannato Ada Crespi per frode?": {
    YES: ["Il tribunale ha condannato Ada Crespi per frode.", "Ada Crespi è stata condannata per frode dal tribunale."],
    "NO?": ["Il tribunale ha assolto Ada Crespi dall'accusa di frode."],
    "": [
      "Il tribunale ha condannato Ada Crespi per corruzione.",
      "Il tribunale ha condannato il socio di Ada Crespi per frode.",
      "La procura ha chiesto al tribunale di condannare Ada Crespi per frode.",
    ],
  },
  "O tribunal condenou Ada Crespo por fraude?": {
    YES: ["O tribunal condenou Ada Crespo por fraude."],
    "NO?": ["O tribunal absolveu Ada Crespo da acusação de fraude."],
    "": [
      "O tribunal condenou Ada Crespo por corrupção.",
      "O tribunal condenou o sócio de Ada Crespo por fraude.",
      "O Ministério Público pediu que o tribunal condenasse Ada Crespo por fraude.",
    ],
  },
});
