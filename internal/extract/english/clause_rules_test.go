package english

import (
	"testing"

	"github.com/kappagraph/kappa"
)

func TestObjects(t *testing.T) {
	checkExamples(t, "", []example{
		{"what the verb says of its object", "The broker stores messages in a queue.", "broker HAS_PART message; message LOCATED_IN queue"},
		{"two of them", "The biogas powers two of our trucks.", "biogas ENABLES truck"},
		{"a particle", "The pump builds up pressure.", "pump PRODUCES pressure"},
		{"a preposition behind the particle", "The insecticide builds up inside the bladder.", ""},
		{"an adjective behind the verb", "The town grew rich on tolls.", ""},
		{"an adjective behind the object", "Rapids made the river famous.", ""},
		{"an object that only goes with the verb", "The company holds a meeting.", ""},
		{"somebody runs a company", "Anna Schmidt runs the bakery.", "Anna Schmidt LEADS bakery"},
		{"a program that is run", "The website runs WordPress.", "website USES WordPress"},
		{"what is furnished", "The dam supplies Ostrava with electricity.", "dam PRODUCES electricity"},
		{"what is given", "The sourdough gives the loaf its aroma.", "sourdough PRODUCES aroma"},
		{"a class that something belongs to", "The toxin belongs to a group of alkaloids.", "toxin SPECIALIZES alkaloid"},
		{"used for an illness", "Ibuprofen is used for migraine.", "Ibuprofen TREATS migraine"},
		{"two of a kind behind a colon", "The kettle has two boilers: a steam boiler and a copper boiler.", "kettle HAS_PART boiler; kettle HAS_PART steam boiler; kettle HAS_PART copper boiler; steam boiler SPECIALIZES boiler; copper boiler SPECIALIZES boiler"},
		{"what something is pressed from", "The lamp oil is pressed from olives.", "lamp oil DERIVED_FROM olive"},
		{"what something is kept from", "The lamp oil is protected from frost.", ""},
		{"protected from", "The vaccine protects children from measles.", "vaccine PREVENTS measles"},
		{"the risk of something", "Smoking increases the risk of emphysema.", "smoking INFLUENCES emphysema"},
		{"a bare infinitive", "Vitamin D helps the bladder absorb calcium.", ""},
		{"a way to a place", "The path leads to the harbour.", ""},
		{"taken for an illness", "Aspirin is taken for headaches.", "Aspirin TREATS headache"},
		{"guests are served", "The ferry serves the island.", "ferry SUPPORTS island"},
		{"coffee is served", "The bakery serves waffles.", "bakery PRODUCES waffle"},
	})
}

func TestSubjectsOfClauses(t *testing.T) {
	checkExamples(t, "", []example{
		{"a year is no subject", "In 1847 the brewery bought the refinery.", "brewery ACQUIRED refinery"},
		{"what is said of the complement", "A dyer is a craftsman who bleaches linen.", "dyer INFLUENCES linen; dyer SPECIALIZES craftsman"},
		{"one of them is suspected, not all", "A server that loses the lease stops the scheduler.", "server INFLUENCES scheduler"},
		{"a participle after and", "The compiler is maintained by Iris Lund and sponsored by Foxglove.", "Iris Lund LEADS compiler; Foxglove SUPPORTS compiler"},
		{"a participle between commas", "The dam, built in 1962, generates electricity.", "dam PRODUCES electricity"},
		{"examples between commas", "Compilers, e.g. Clang, require a linker.", "compiler REQUIRES linker; Clang INSTANTIATES compiler"},
		{"a name between commas", "The manager, Otto Kessel, founded a sawmill.", "Otto Kessel FOUNDED sawmill"},
	})
}

func TestReferences(t *testing.T) {
	checkExamples(t, "", []example{
		{"it after a colon", "The plant is a halophyte: it contains magnesium.", "plant SPECIALIZES halophyte; plant HAS_PART magnesium"},
		{"they after because", "Needles failed because they required electricity.", "needle REQUIRES electricity"},
		{"it for a plural", "The needles broke, and it contains magnesium.", ""},
		{"she", "Mara Kessel retired. In 1981 she founded a sawmill.", "Mara Kessel FOUNDED sawmill"},
		{"he after another person", "Otto Kessel retired. Mara Brandt said he founded a sawmill.", ""},
		{"he and she are two", "Mara Kessel retired. She paints. Later he founded a sawmill.", ""},
	})
}

func TestComplements(t *testing.T) {
	checkExamples(t, "", []example{
		{"two classes", "Cornelius Abernathy was a drummer and bandleader.", "Cornelius Abernathy INSTANTIATES drummer; Cornelius Abernathy INSTANTIATES bandleader"},
		{"two complements", "The Velka is a river in Moravia and a tributary of the Oder.", "Velka INSTANTIATES river; Velka LOCATED_IN Moravia; Velka PART_OF Oder"},
		{"one of many", "The saltwort is one of the first colonisers.", "saltwort SPECIALIZES coloniser"},
		{"the main ones", "The main crops are potatoes and flax.", "potato SPECIALIZES crop; flax SPECIALIZES crop"},
		{"a complement of its own", "Port Alenquer is the capital of Corantia and its harbour.", "Port Alenquer CAPITAL_OF Corantia"},
		{"our", "Hostify is our provider.", "Hostify INSTANTIATES provider"},
		{"with", "The switch is a variant with a stabiliser.", "switch HAS_PART stabiliser; switch SPECIALIZES variant"},
		{"subject to", "The merger is subject to approval.", "merger DEPENDS_ON approval"},
		{"rich in", "The spinach is rich in magnesium.", "spinach HAS_PART magnesium"},
		{"essential for", "Oxygen is essential for combustion.", "combustion REQUIRES oxygen"},
		{"instead of", "The kiln is fed with pellets instead of coal.", "pellet REPLACES coal"},
	})
}

func TestPlacesOfVerbs(t *testing.T) {
	checkExamples(t, "", []example{
		{"a verb and a name", "Anna Schmidt taught at Oberlin.", "Anna Schmidt LOCATED_IN Oberlin"},
		{"an unknown verb", "The limestone was quarried at Stramberk.", "limestone LOCATED_IN Stramberk"},
		{"no place", "Anna Schmidt believes in Buddhism.", ""},
		{"a month", "The brewery reopened in March.", ""},
		{"people at a company", "The analysts at Morgan expect a merger.", "analyst PART_OF Morgan"},
		{"born in brackets", "Mara Kessel (born 12 May 1951 in Graz) paints.", "Mara Kessel BORN_IN Graz"},
		{"a party to a contract", "Northgate Properties Ltd (\"Landlord\") owns the flat.", "Northgate Properties Ltd INSTANTIATES landlord; Northgate Properties Ltd OWNS flat"},
		{"a chief executive", "Calder's chief executive, Priscilla Dunmore, resigned.", "Priscilla Dunmore LEADS Calder"},
	})
}

func TestTables(t *testing.T) {
	checkExamples(t, kappa.ContentMarkdown, []example{
		{"the first column", "| Export | Share |\n|---|---|\n| Rice | 11 % |\n| Shrimp | 7 % |\n", "rice SPECIALIZES export; shrimp SPECIALIZES export"},
		{"what it is", "| Part | Function |\n|---|---|\n| ESP32-S3 | microcontroller |\n", "ESP32-S3 SPECIALIZES microcontroller"},
		{"why", "| Fault | Cause |\n|---|---|\n| leakage | corrosion |\n", "corrosion CAUSES leakage; leakage SPECIALIZES fault"},
		{"a head that names no class", "| Parameter | Value |\n|---|---|\n| Supply voltage | 3.3 |\n", ""},
		{"another table", "| Export | Share |\n|---|---|\n| Rice | 11 % |\n\nThe harvest failed.\n\n| shrimp | 7 % |\n", "rice SPECIALIZES export"},
	})
}

func TestListsAndClasses(t *testing.T) {
	checkExamples(t, kappa.ContentMarkdown, []example{
		{"a class and its members", "Allergens: haddock, celery.", "haddock SPECIALIZES allergen; celery SPECIALIZES allergen"},
		{"who has a role", "Licence holder: Brenner Pharma", "Brenner Pharma INSTANTIATES licence holder"},
		{"a head of no class", "Keywords: haddock, celery.", ""},
		{"a class before a list", "The parser supports these codecs:\n\n- Zstandard\n- Brotli, from Google\n", "parser SUPPORTS codec; Zstandard INSTANTIATES codec; Brotli INSTANTIATES codec"},
		{"a verb before a list", "The toolkit consists of:\n\n- a wrench\n- a hammer\n", "toolkit COMPOSED_OF wrench; toolkit COMPOSED_OF hammer"},
		{"entries that are sentences", "The parser supports these codecs:\n\n- Zstandard is quick.\n", "parser SUPPORTS codec"},
		{"a gloss without an article", "- QMK — the firmware that scans a matrix", "QMK SPECIALIZES firmware"},
	})
}

func TestClauseTags(t *testing.T) {
	checkExamples(t, "", []example{
		{"an unknown noun at the end", "Vinegar removes limescale; heat melts solder.", "vinegar INFLUENCES limescale"},
		{"a verb after it", "The pump is old. It stores magnesium.", "pump HAS_PART magnesium"},
		{"a verb after and", "The brewery employs a chemist and brews the porter.", "brewery USES chemist; brewery PRODUCES porter"},
		{"a verb behind a bracket", "Two monsoons (in spring and autumn) result from the passage of a cyclone.", "monsoon RESULTS_FROM passage"},
		{"a gerund as an object", "The ointment reduces swelling.", "ointment INFLUENCES swelling"},
		{"a name with a number", "The server runs on Debian 9.", "server USES Debian 9"},
		{"a numbered part", "Schedule 2 replaces the tariff.", "schedule 2 REPLACES tariff"},
		{"an ampersand in a name", "Lindholm & Daughters AB bakes crispbread.", "Lindholm & Daughters AB PRODUCES crispbread"},
		{"a verb before it", "Damage caused by limescale voids it.", "limescale CAUSES damage"},
		{"a noun after an article", "The relay is a variant with a stabiliser.", "relay SPECIALIZES variant; relay HAS_PART stabiliser"},
		{"a season is no modifier", "In autumn pigments redden the foliage.", "pigment INFLUENCES foliage"},
		{"a call for attention", "WARNING Steam can cause corrosion.", "Steam CAUSES corrosion"},
		{"a participle behind a verb", "The dune drops saturated segments.", ""},
	})
}

// TestIrregularPluralsAreTerms finds "children" although the label is "child".
func TestIrregularPluralsAreTerms(t *testing.T) {
	e := extractFrom(t, newExtractor(t), "The guardians of the orphaned children need a licence.", "")
	for _, c := range e.Concepts {
		for _, term := range c.SearchTerms {
			if term == "orphaned children" || term == "children" {
				return
			}
		}
	}
	t.Errorf("no search term with the plural: %+v", e.Concepts)
}
