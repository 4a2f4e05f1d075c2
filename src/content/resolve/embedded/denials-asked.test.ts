import { describeSides } from "../testing/describe-sides.ts";

/** Questions whose own verb denies something: the denial is the event. */
describeSides({
  "Did the supreme court of Norvane refuse to extradite Emil Sator?": {
    YES: [
      "The supreme court of Norvane refused to extradite Emil Sator.",
      "The supreme court of Norvane refused on Monday to extradite the trader Emil Sator to Marland.",
    ],
    NO: ["The supreme court of Norvane extradited Emil Sator."],
    "": [
      "The supreme court of Norvane could refuse to extradite Emil Sator.",
      "The supreme court of Norvane has not yet extradited Emil Sator.",
      "The supreme court of Marland refused to extradite Emil Sator.",
      "The supreme court of Norvane refused to extradite Emil Sartor.",
      "The supreme court of Norvane refused to hear Emil Sator.",
      "The supreme court of Norvane is expected to refuse to extradite Emil Sator.",
    ],
  },
  "Did the king of Norvane sign the press law?": {
    NO: ["The king of Norvane refused to sign the press law."],
    "": ["The king of Norvane could refuse to sign the press law."],
  },
  "Did Emil Sator deny the charges?": {
    YES: ["Emil Sator denied the charges.", "Emil Sator denied all the charges on Monday, the court said."],
    NO: ["Emil Sator did not deny the charges."],
    "": [
      "Emil Sator's brother denied the charges.",
      "Emil Sator will deny the charges.",
      // An unnamed person is not a source.
      "Emil Sator denied all the charges on Monday, a lawyer said.",
      "Emil Sator neither denied nor confirmed the charges.",
    ],
  },
  "Did the mayor of Tarn rule out a new tax?": {
    YES: ["The mayor of Tarn ruled out a new tax on Monday."],
    NO: ["The mayor of Tarn has not ruled out a new tax."],
    "": ["The deputy mayor of Tarn ruled out a new tax."],
  },
  "Was the Tarn dam wrongly blamed for the flood?": {
    YES: ["The Tarn dam was wrongly blamed for the flood."],
    "YES?": ["The Tarn dam was blamed for the flood."],
  },
  "Is it true that the photo of the Tarn dam is fake?": { YES: ["The photo of the Tarn dam is fake, experts say."] },
  "Ist der Misstrauensantrag gegen Hanna Bolt gescheitert?": {
    YES: ["Der Misstrauensantrag gegen Hanna Bolt ist am Montag gescheitert."],
    "": ["Der Misstrauensantrag gegen Hanna Bolt könnte scheitern."],
  },
  "La motion de censure contre Luc Feral a-t-elle échoué ?": {
    YES: ["La motion de censure contre Luc Feral a échoué lundi."],
    NO: ["La motion de censure contre Luc Feral n'a pas échoué."],
  },
  "¿Desmintió la empresa Tarnacero la fusión?": {
    YES: ["La empresa Tarnacero desmintió la fusión el lunes."],
    NO: ["La empresa Tarnacero no desmintió la fusión."],
    "": ["La empresa Tarnacero desmentirá la fusión."],
  },
});
