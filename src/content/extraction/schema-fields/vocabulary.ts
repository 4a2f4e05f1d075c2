/** A meaning that fields have in many schemas. */
interface ConceptData {
  readonly id: string;
  readonly names: readonly string[];
  /** Paths of schema.org properties. */
  readonly paths: readonly string[];
  /** Labels in languages other than English. */
  readonly labels: readonly string[];
}

/** Words for the kind of thing, which a field's name may begin with: `productName`. */
export const ENTITY_WORDS: ReadonlySet<string> = new Set(
  (
    "product item job recipe event article post book person profile listing offer vacancy page course hotel movie film game " +
    "song podcast episode paper dish vehicle car conference museum restaurant question package " +
    "produkt artikel rezept buch kurs produit recette livre producto receta libro evento prodotto ricetta veranstaltung"
  ).split(" "),
);

/** The words that name the whole thing. Others, such as `offer`, can name a part of it. */
export const THING_WORDS: ReadonlySet<string> = new Set(
  [...ENTITY_WORDS].filter(
    (word) => !/^(?:page|post|offer|profile|listing|person|article|artikel|question)$/.test(word),
  ),
);

/** One concept a line: its id and names; paths; labels. */
const TABLE = `
name, title, headline, heading, full name, product title | name, headline, title | titel, bezeichnung, produktname, überschrift, nom, titre, intitulé, título, titular, nombre, nome, titolo, naam, tytuł, nazwa
price, amount, cost, ticket price, admission, unit price, current price, sale price, selling price, asking price, final price | offers.price, offers.priceSpecification.price, price, offers.lowPrice | preis, prix, precio, prezzo, prijs, preço, preco, cena, pris, hinta, цена, 価格, 价格, 售价, fiyat, kaufpreis, prix actuel, precio actual, aktualna cena, prezzo attuale
old price, original price, list price, regular price, compare at price, previous price, was price, was, rrp, msrp, mrp, price before |  | uvp, statt, preis alt, alter preis, prix barré, ancien prix, precio anterior, precio original, preço antigo, preço original, prezzo precedente, adviesprijs, stara cena
min price, price min, lowest price, low price, price from, starting price, minimum price, from price | offers.lowPrice |
max price, price max, highest price, high price, price to, maximum price | offers.highPrice |
currency, price currency, currency code, salary currency | offers.priceCurrency, priceCurrency, offers.priceSpecification.priceCurrency, baseSalary.currency | währung, devise, moneda, valuta, moeda, waluta
sku, article number, item number, product code, part number, product id, model number | sku, productID, mpn | artikelnummer, art nr, artikel nr, référence, reference, ref, referencia, codice, codice articolo, artikelnummer, código, numer katalogowy, 商品コード, 货号
gtin, ean, upc, barcode, gtin13 | gtin13, gtin, gtin12, gtin8, gtin14 | ean code, code barres, código de barras
mpn, manufacturer part number | mpn | herstellernummer
model | model.name, model | modell, modèle, modelo, modello
brand, manufacturer, make, maker, brand name | brand.name, brand, manufacturer.name, manufacturer | marke, hersteller, marque, fabricant, marca, fabricante, marchio, produttore, merk, fabrikant, producent, marka, メーカー, ブランド, 品牌
description, summary, abstract, overview, teaser, excerpt | description, abstract | beschreibung, produktbeschreibung, description, descripción, descrizione, beschrijving, descrição, opis
image, image url, picture, photo, thumbnail, main image, cover, cover image | image.url, image.contentUrl, image, thumbnailUrl, photo |
url, link, canonical url, href, product url, permalink | url, @id |
availability, stock, stock status, in stock, is in stock, is available, available | offers.availability, availability | verfügbarkeit, verfügbar, lieferbar, disponible, disponibile, disponível, beschikbaar, dostępny, lieferstatus, disponibilité, disponibilidad, disponibilità, beschikbaarheid, disponibilidade, dostępność
condition, item condition | offers.itemCondition, itemCondition | zustand, état, estado, condizioni, staat, stan
rating, rating value, average rating, score, stars | aggregateRating.ratingValue, reviewRating.ratingValue, starRating.ratingValue | bewertung, bewertung durchschnitt, gesamtnote, note, valoración, valutazione, beoordeling, avaliação, ocena
review count, reviews count, reviews, number of reviews, num reviews, total reviews | aggregateRating.reviewCount, aggregateRating.ratingCount | anzahl bewertungen, bewertungen
rating count, ratings count, number of ratings, ratings, votes count | aggregateRating.ratingCount, aggregateRating.reviewCount | bewertung anzahl, bewertungen anzahl
category, product category, genre | category, genre, articleSection | kategorie, catégorie, categoría, categoria, categorie, genre
color, colour | color | farbe, couleur, color, colore, kleur, cor, kolor
size | size | größe, taille, talla, taglia, maat, tamanho, rozmiar
material, materials | material | material, matière, matériau, materiale, materiaal, materiał
weight, item weight, net weight | weight.value, weight | gewicht, poids, peso, waga
width | width.value, width | breite, largeur, anchura, ancho, larghezza, breedte, largura
height | height.value, height | höhe, hauteur, altura, alto, altezza, hoogte
depth | depth.value, depth | tiefe, profondeur, profundidad, profondità, diepte
dimensions | dimensions | abmessungen, maße, dimensiones, dimensioni, afmetingen, wymiary
warranty | warranty | garantie, garantía, garanzia, gwarancja
company, employer, organization, hiring organization, company name, organisation, employer name, hiring company | hiringOrganization.name, hiringOrganization, worksFor.name, affiliation.name | unternehmen, firma, arbeitgeber, entreprise, société, employeur, empresa, azienda, bedrijf, werkgever, pracodawca, 会社名, 公司
location, job location, place, work location, workplace | jobLocation.address.addressLocality, jobLocation.name, location.name, location.address.addressLocality, contentLocation.name, homeLocation.name, address.addressLocality | ort, standort, arbeitsort, einsatzort, lieu, localisation, ubicación, lugar, sede, luogo, locatie, plaats, local, localização, lokalizacja, miejsce pracy, 勤務地, 地点
employment type, job type, contract type, contract, type of employment | employmentType | anstellungsart, beschäftigungsart, vertragsart, type de contrat, contrat, tipo de contrato, jornada, tipo di contratto, contratto, dienstverband, rodzaj umowy, 雇用形態
salary, pay, compensation, base salary, wage | baseSalary.value.value, baseSalary.value, baseSalary | gehalt, vergütung, lohn, salaire, rémunération, salario, sueldo, stipendio, retribuzione, salaris, salário, wynagrodzenie, 給与
salary min, min salary, minimum salary, salary from | baseSalary.value.minValue, baseSalary.minValue |
salary max, max salary, maximum salary, salary to | baseSalary.value.maxValue, baseSalary.maxValue |
date posted, posted, posted at, posting date, posted on, posted date | datePosted, datePublished | veröffentlicht am, eingestellt am, publiée le, date de publication, fecha de publicación, publicado el, data di pubblicazione, data pubblicazione, pubblicato il, geplaatst op, data publikacji
valid through, closing date, application deadline, deadline, apply by, expires, expiry date | validThrough, applicationDeadline | bewerbungsfrist, bewerbungsschluss, date limite, fecha límite, scadenza, sluitingsdatum, prazo, termin
department, team | department, occupationalCategory, industry | abteilung, service, departamento, reparto, afdeling, dział
experience, experience level, seniority, seniority level | experienceRequirements.monthsOfExperience, experienceRequirements | berufserfahrung, erfahrung, expérience, experiencia, esperienza, ervaring, doświadczenie
author, writer, byline, authors, author name, written by, by | author.name, author, creator.name, creator | autor, autorin, verfasser, auteur, autore, auteur, von, par, por, di, door, 著者, 作者, 執筆
date published, published, published at, publish date, publication date, published date, published on, date | datePublished, startDate, datePosted, uploadDate, dateCreated | veröffentlicht, veröffentlicht am, erschienen, erscheinungsdatum, datum, publié le, publié, date, fecha, publicado, publicado el, fecha de publicación, data, pubblicato il, pubblicato, gepubliceerd, publicado em, data publikacji, opublikowano, 公開日, 发布时间
date modified, date updated, updated, updated at, modified, last updated, modified date, last modified | dateModified | aktualisiert, aktualisiert am, zuletzt aktualisiert, mis à jour, mis à jour le, actualizado, aggiornato, bijgewerkt, zaktualizowano
section, article section, topic | articleSection | ressort, rubrik, rubrique, sección, sezione, rubriek, dział, seção
tags, keywords | keywords | schlagwörter, stichwörter, themen, mots clés, etiquetas, palabras clave, parole chiave, trefwoorden, tagi
body, content, article body, text, full text | articleBody, text |
deposit, security deposit | | kaution, caution, fianza, cauzione, borg, kaucja
available from, move in date, date available | availabilityStarts | bezugsfrei ab, verfügbar ab, frei ab, disponible le, disponible desde, disponibile dal, beschikbaar per, beschikbaar vanaf
bathrooms, number of bathrooms, baths | numberOfBathroomsTotal | badezimmer, salles de bain, baños, bagni, badkamers
floor, floor number, storey | floorLevel | etage, étage, planta, piano, verdieping, piętro
pets allowed, pets | petsAllowed | haustiere, haustiere erlaubt, animaux, mascotas, animali
fuel, fuel type | fuelType | kraftstoff, kraftstoffart, carburant, énergie, combustible, carburante, brandstof, paliwo
transmission, gearbox | vehicleTransmission | getriebe, boîte de vitesses, cambio, transmissie, skrzynia biegów
first registration, registration date | dateVehicleFirstRegistered | erstzulassung, première immatriculation, primera matriculación, immatricolazione, eerste toelating
power, engine power | vehicleEngine.enginePower.value | leistung, puissance, potencia, potenza, vermogen, moc
previous owners, number of owners, owners | numberOfPreviousOwners | fahrzeughalter, vorbesitzer, propriétaires, propietarios, proprietari, eigenaren
vat id, vat number, tax id | vatID, taxID | ust id, ust idnr, ust id nr, umsatzsteuer id, tva, n tva, nif, partita iva, btw nummer, nip
managing director, ceo | | geschäftsführer, geschäftsführerin, geschäftsführung, gérant, administrador, amministratore
register number, registration number, company number | | registernummer, handelsregisternummer, siren, siret, kvk, krs
register court | | registergericht
seller, vendor, sold by | offers.seller.name, seller.name | verkäufer, anbieter, vendeur, vendedor, venditore, verkoper, sprzedawca
shipping cost, shipping, delivery cost, shipping price | | versand, versandkosten, livraison, frais de livraison, envío, gastos de envío, spedizione, verzendkosten, dostawa
director, directed by | director.name | regie, réalisateur, dirección, regia, regisseur, reżyseria
attendees, participants | | teilnehmer, participants, asistentes, partecipanti, deelnemers
comments, comment count, comments count, number of comments | commentCount | kommentare, commentaires, comentarios, commenti, reacties, komentarze
origin, country of origin, origin country | countryOfOrigin | herkunft, ursprungsland, origine, pays d origine, origen, paese di origine, land van herkomst
lot size | | grundstücksfläche
publisher, site name | publisher.name, publisher | verlag, éditeur, editorial, editore, uitgever, wydawca, 出版社
ingredients, ingredient list | recipeIngredient, ingredients | zutaten, ingrédients, ingredientes, ingredienti, ingrediënten, składniki, 材料
instructions, steps, directions, method, preparation | recipeInstructions.text, recipeInstructions | zubereitung, anleitung, préparation, étapes, instrucciones, preparación, elaboración, preparazione, procedimento, bereiding, preparo, przygotowanie, 作り方
prep time, preparation time, prep | prepTime | vorbereitungszeit, vorbereitung, temps de préparation, tiempo de preparación, tempo di preparazione, tempo preparazione, voorbereidingstijd, czas przygotowania
cook time, cooking time, baking time, cook | cookTime | kochzeit, koch backzeit, backzeit, temps de cuisson, cuisson, tiempo de cocción, tempo di cottura, cottura, kooktijd, czas gotowania
total time, duration, runtime, running time | totalTime, duration | gesamtzeit, dauer, temps total, durée, tiempo total, duración, tempo totale, durata, totale tijd, duur, czas trwania
servings, yield, recipe yield, serves, portions | recipeYield, yield | portionen, personen, portions, pour, raciones, porciones, porzioni, dosi per, porties, porções, porcje, 人分
calories, energy | nutrition.calories, calories | kalorien, brennwert, calorías, calorie, calorieën
cuisine | recipeCuisine, servesCuisine | küche, cocina, cucina, keuken, kuchnia
difficulty | difficulty | schwierigkeit, schwierigkeitsgrad, difficulté, dificultad, difficoltà, moeilijkheid
start date, start, starts at, event date, start time, when, begin, starts | startDate | beginn, datum, wann, début, date, quand, inicio, fecha, cuándo, inizio, data, quando, wanneer, aanvang, początek, 日時
end date, end, ends at, end time, until, ends | endDate | ende, fin, hasta, fine, einde, fim, koniec
venue, location name, event location, venue name, where | location.name, location | veranstaltungsort, ort, wo, lieu, où, lugar, dónde, luogo, dove, locatie, waar, local, miejsce, 会場
street, street name | streetAddress, address.streetAddress |
address, street address, full address, location address | address.streetAddress, location.address.streetAddress, jobLocation.address.streetAddress, address, location.address | adresse, anschrift, dirección, indirizzo, adres, endereço, 住所
city, town, locality, address locality | address.addressLocality, location.address.addressLocality, jobLocation.address.addressLocality | stadt, ville, ciudad, città, stad, cidade, miasto
postal code, zip, zip code, postcode | address.postalCode, location.address.postalCode, jobLocation.address.postalCode | plz, postleitzahl, code postal, código postal, cap, kod pocztowy
country, address country | address.addressCountry.name, address.addressCountry, location.address.addressCountry, jobLocation.address.addressCountry | land, pays, país, paese, kraj
region, state, address region | address.addressRegion, location.address.addressRegion, jobLocation.address.addressRegion | bundesland, région, región, regione
organizer, organiser, host, organized by | organizer.name, organizer | veranstalter, organisateur, organizador, organizzatore, organisator, organizator
performer, artist, speaker, performers | performer.name, performer, byArtist.name | künstler, artiste, artista, artiest
email, e mail, email address, contact email | email | e mail, e mail adresse, courriel, correo, correo electrónico
phone, telephone, phone number, tel, mobile, contact phone | telephone | telefon, telefonnummer, téléphone, teléfono, telefono, telefoon, telefone, 電話番号
website, homepage, web | url, sameAs | webseite, internet, site web, sitio web, sito web
job title, position, role, occupation | jobTitle, hasOccupation.name, title | position, beruf, funktion, stelle, poste, fonction, puesto, cargo, ruolo, posizione, functie, stanowisko, 役職
first name, given name | givenName | vorname, prénom, nombre, nome, voornaam, imię
last name, family name, surname | familyName | nachname, nom de famille, apellidos, cognome, achternaam, nazwisko
birth date, date of birth, born, birthday | birthDate | geburtsdatum, geboren, né le, date de naissance, fecha de nacimiento, data di nascita, geboortedatum, data urodzenia
nationality | nationality.name, nationality | nationalität, nationalité, nacionalidad, nazionalità
affiliation, works for | worksFor.name, affiliation.name | arbeitet bei
isbn | isbn | isbn 13
pages, number of pages, page count | numberOfPages | seiten, seitenzahl, nombre de pages, páginas, pagine, pagina s, liczba stron
language, in language | inLanguage | sprache, sprachen, langues, idiomas, lingue, talen, języki, langue, idioma, lingua, taal, język
edition | bookEdition | auflage, édition, edición, edizione
bedrooms, number of bedrooms, beds | numberOfBedrooms | schlafzimmer, chambres, dormitorios, camere, slaapkamers
rooms, number of rooms | numberOfRooms | zimmer, pièces, habitaciones, locali, kamers, pokoje
area, floor size, living area, living space, surface area, surface | floorSize.value, floorSize | wohnfläche, wohnfläche ca, fläche, surface, superficie, oppervlakte, powierzchnia
year, model year, production year, year built, built, construction year | vehicleModelDate, productionDate, copyrightYear | baujahr, jahr, année, año, anno, bouwjaar, rok
mileage | mileageFromOdometer.value, mileageFromOdometer | kilometerstand, kilométrage, kilometraje, chilometraggio, przebieg
opening hours, hours | openingHours | öffnungszeiten, horaires, horario, orari, openingstijden
`;

/** The meanings that are known. */
export const CONCEPTS: readonly ConceptData[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [names = [], paths = [], labels = []] = line.split("|").map(listOf);
    return { id: names[0] ?? "", names, paths, labels };
  });

function listOf(part: string): readonly string[] {
  return part
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** Concepts whose value is the name of the thing that the page is about. */
export const TITLES: readonly string[] = ["name", "job title"];

/** Concepts of one amount of money. */
export const AMOUNTS: ReadonlySet<string> = new Set([
  "price",
  "old price",
  "min price",
  "max price",
  "salary",
  "salary min",
  "salary max",
]);

/** Concepts of durations. */
export const DURATIONS: ReadonlySet<string> = new Set(["prep time", "cook time", "total time"]);

/** Concepts whose values readers see, so that a declared value that the page does not show is doubtful. */
export const SHOWN_CONCEPTS: ReadonlySet<string> = new Set([...TITLES, ...AMOUNTS, "author", "brand", "company"]);
