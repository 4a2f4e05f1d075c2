import { describeSides } from "../testing/describe-sides.ts";

/** Questions about an act in other languages than English, and sentences about other actors, other objects and other places. */
describeSides({
  "Landete die Sonde Lyra vor dem 1. November 2026 auf Europa?": {
    YES: ["Die Sonde Lyra landete am 20. September 2026 auf Europa.", "Lyra ist am 20. September auf Europa gelandet."],
    "": [
      "Die Sonde Lyra landete am 20. September 2026 auf Ganymed.",
      "Die Sonde Vega landete am 20. September 2026 auf Europa.",
      "Ein Modell der Sonde Lyra landete am 20. September 2026 in einem Becken.",
      "Die Sonde Lyra soll am 20. September 2026 auf Europa landen.",
    ],
  },
  "Baute die Firma Karsten das Wehr Pellworth?": {
    YES: ["Die Firma Karsten baute das Wehr Pellworth."],
    "": [
      "Nicht Karsten, sondern Odell baute das Wehr Pellworth.",
      "Odell, nicht Karsten, baute das Wehr Pellworth.",
      "Die Firma Karsten baute die Brücke am Wehr Pellworth.",
      "Karstens Bruder baute das Wehr Pellworth.",
    ],
  },
  "Hat Halden Sillo 2026 übernommen?": {
    YES: ["Halden hat Sillo im März 2026 übernommen.", "Sillo wurde im März 2026 von Halden übernommen."],
    "": [
      "Halden hat im März 2026 einen Anteil von 20 Prozent an Sillo übernommen.",
      "Halden hat die Büros von Sillo im März 2026 übernommen.",
      "Halden will Sillo 2026 übernehmen.",
      "Halden hat im März 2026 die Führung vor Sillo übernommen.",
    ],
  },
  "La sonde Lyra s'est-elle posée sur Europe avant le 1er novembre 2026 ?": {
    YES: ["La sonde Lyra s'est posée sur Europe le 20 septembre 2026."],
    "": [
      "La sonde Lyra s'est posée sur Ganymède le 20 septembre 2026.",
      "La sonde Véga s'est posée sur Europe le 20 septembre 2026.",
      "La sonde Lyra devait se poser sur Europe le 20 septembre 2026.",
      "Une maquette de la sonde Lyra s'est posée dans un bassin le 20 septembre 2026.",
    ],
  },
  "La société Karsten a-t-elle construit le barrage de Pellworth ?": {
    YES: [
      "La société Karsten a construit le barrage de Pellworth.",
      "Le barrage de Pellworth a été construit par la société Karsten.",
    ],
    "YES?": ["Ce n'est pas Karsten mais Odell qui a construit le barrage de Pellworth."],
    "": [
      "Odell, et non Karsten, a construit le barrage de Pellworth.",
      "La société Karsten a construit le pont du barrage de Pellworth.",
      "La société Karsten a fait construire le barrage de Pellworth.",
      "Le barrage de Pellworth a été construit pour la société Karsten.",
    ],
  },
  "Halden a-t-il racheté Sillo en 2026 ?": {
    YES: ["Halden a racheté Sillo en mars 2026.", "Sillo a été racheté par Halden en mars 2026."],
    "": [
      "Halden a racheté 20 % de Sillo en mars 2026.",
      "Halden a racheté les bureaux de Sillo en mars 2026.",
      "Halden a renoncé à racheter Sillo en mars 2026.",
      "Halden a racheté la dette de Sillo en mars 2026.",
    ],
  },
  "¿Compró Halden la empresa Sillo en 2026?": {
    YES: [
      "Halden compró la empresa Sillo en marzo de 2026.",
      "La empresa Sillo fue comprada por Halden en marzo de 2026.",
    ],
    "": [
      "Halden compró el 20 % de la empresa Sillo en marzo de 2026.",
      "Halden compró las oficinas de la empresa Sillo en marzo de 2026.",
      "Halden quiso comprar la empresa Sillo en marzo de 2026.",
      "Los dueños de Halden compraron la empresa Sillo en marzo de 2026.",
    ],
  },
  "¿Aterrizó la sonda Lira en Europa antes del 1 de noviembre de 2026?": {
    YES: ["La sonda Lira aterrizó en Europa el 20 de septiembre de 2026."],
    "": [
      "La sonda Lira aterrizó en Ganimedes el 20 de septiembre de 2026.",
      "La sonda Vega aterrizó en Europa el 20 de septiembre de 2026.",
      "Datos de la sonda Lira aterrizaron en Europa el 20 de septiembre de 2026.",
    ],
  },
  "Halden ha acquistato Sillo nel 2026?": {
    YES: ["Halden ha acquistato Sillo nel marzo 2026.", "Sillo è stata acquistata da Halden nel marzo 2026."],
    "": [
      "Halden ha acquistato il 20 per cento di Sillo nel marzo 2026.",
      "Halden ha acquistato gli uffici di Sillo nel marzo 2026.",
      "Halden ha rinunciato ad acquistare Sillo nel marzo 2026.",
      "Halden ha acquistato azioni di Sillo nel marzo 2026.",
    ],
  },
  "A Halden comprou a Sillo em 2026?": {
    YES: ["A Halden comprou a Sillo em março de 2026.", "A Sillo foi comprada pela Halden em março de 2026."],
    "": [
      "A Halden comprou 20% da Sillo em março de 2026.",
      "A Halden comprou os escritórios da Sillo em março de 2026.",
      "A Halden desistiu de comprar a Sillo em março de 2026.",
    ],
  },
  "Trat Bürgermeisterin Ada Rehm 2026 zurück?": {
    YES: [
      "Bürgermeisterin Ada Rehm trat am 4. Mai 2026 zurück.",
      "Ada Rehm ist am 4. Mai 2026 als Bürgermeisterin zurückgetreten.",
    ],
    "YES?": [
      "Ada Rehms Stellvertreter trat am 4. Mai 2026 zurück.",
      "Ada Rehm trat am 4. Mai 2026 vom Vorsitz des Sportvereins zurück.",
    ],
    "": ["Ada Rehm forderte den Landrat auf, zurückzutreten.", "Jan Rehm trat am 4. Mai 2026 zurück."],
  },
  "La maire Ada Rémy a-t-elle démissionné en 2026 ?": {
    YES: ["La maire Ada Rémy a démissionné le 4 mai 2026."],
    "YES?": ["Ada Rémy a démissionné de son poste de maire le 4 mai 2026."],
    "": [
      "L'adjoint d'Ada Rémy a démissionné le 4 mai 2026.",
      "Ada Rémy a démissionné de la présidence du club le 4 mai 2026.",
      "Jean Rémy a démissionné le 4 mai 2026.",
      "Ada Rémy a appelé le préfet à démissionner.",
    ],
  },
  "¿Dimitió la alcaldesa Ada Ramos en 2026?": {
    YES: ["La alcaldesa Ada Ramos dimitió el 4 de mayo de 2026."],
    "": [
      "El jefe de gabinete de Ada Ramos dimitió el 4 de mayo de 2026.",
      "Ada Ramos dimitió como presidenta del club el 4 de mayo de 2026.",
      "Juan Ramos dimitió el 4 de mayo de 2026.",
    ],
  },
});
