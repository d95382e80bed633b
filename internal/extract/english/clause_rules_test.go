package english

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
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
		{"one of them is suspected, not all", "A server that loses the lease stops the scheduler.", ""},
		{"a ruler's number", "Charles I was a king.", "Charles I INSTANTIATES king"},
		{"a disease that looks like a verb", "Insulin treats diabetes.", "Insulin TREATS diabetes"},
		{"a name with a number", "Apollo 11 was a mission.", "Apollo 11 INSTANTIATES mission"},
		{"I am nobody's subject", "With the pump, I was a king.", ""},
		{"the one that is meant", "The server that loses the lease stops the scheduler.", "server INFLUENCES scheduler"},
		{"a participle after and", "The compiler is maintained by Iris Lund and sponsored by Foxglove.", "Iris Lund LEADS compiler; Foxglove SUPPORTS compiler"},
		{"a participle between commas", "The dam, built in 1962, generates electricity.", "dam PRODUCES electricity"},
		{"examples between commas", "Compilers, e.g. Clang, require a linker.", "compiler REQUIRES linker; Clang INSTANTIATES compiler"},
		{"a name between commas", "The manager, Otto Kessel, founded a sawmill.", "Otto Kessel FOUNDED sawmill; Otto Kessel INSTANTIATES manager"},
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
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"the first column", "| Export | Share |\n|---|---|\n| Rice | 11 % |\n| Shrimp | 7 % |\n", "rice SPECIALIZES export; shrimp SPECIALIZES export"},
		{"what it is", "| Part | Function |\n|---|---|\n| ESP32-S3 | microcontroller |\n", "ESP32-S3 SPECIALIZES microcontroller"},
		{"why", "| Fault | Cause |\n|---|---|\n| leakage | corrosion |\n", "corrosion CAUSES leakage; leakage SPECIALIZES fault"},
		{"a head that names no class", "| Parameter | Value |\n|---|---|\n| Supply voltage | 3.3 |\n", ""},
		{"another table", "| Export | Share |\n|---|---|\n| Rice | 11 % |\n\nThe harvest failed.\n\n| shrimp | 7 % |\n", "rice SPECIALIZES export"},
	})
}

func TestListsAndClasses(t *testing.T) {
	checkExamples(t, corpus.ContentMarkdown, []example{
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

func TestOutstanding(t *testing.T) {
	checkExamples(t, "", []example{
		{"the largest", "Mount Everest is the highest mountain in the world.", "Mount Everest INSTANTIATES mountain"},
		{"the leading", "Bauxite was the leading export.", "Bauxite INSTANTIATES leading export"},
		{"a pronoun that may be something else", "A turbine has exactly one of a brake and a clutch, and it is the only part.", ""},
		{"the same is no kind", "Bauxite was the same export.", ""},
		{"one that stands out", "The main crop is rice.", "rice SPECIALIZES crop"},
		{"a name that stands out", "The largest city is Oslo.", "Oslo INSTANTIATES city"},
		{"what stands out is no name", "The largest city is rich.", ""},
		{"its own", "The heron is a bird. Its predators include foxes.", "fox SPECIALIZES predator; heron SPECIALIZES bird"},
	})
}

func TestWhoItIs(t *testing.T) {
	checkExamples(t, "", []example{
		{"with the age", "Peter Dahl, 45, a farmer, bought the refinery.", "Peter Dahl INSTANTIATES farmer"},
		{"somebody's relative", "Brita's grandson Nils Kessel runs the bakery.", "Nils Kessel INSTANTIATES grandson; Nils Kessel LEADS bakery"},
		{"a head of a company", "The chief executive of Nortel, Mona Reyes, resigned.", "Mona Reyes LEADS Nortel"},
		{"a place in a list", "In the town, Borlänge, and the village it rains.", ""},
		{"who opened it", "Otto Kessel opened a bakery.", "Otto Kessel FOUNDED bakery"},
		{"what opens", "The lever opens the valve.", "lever INFLUENCES valve"},
		{"who sold it", "The heirs sold the refinery to Otto Kessel.", "Otto Kessel ACQUIRED refinery"},
		{"to people", "The heirs sold saffron to doctors.", ""},
		{"to whom it was sold", "The refinery was sold to Nortel.", "Nortel ACQUIRED refinery"},
	})
}

func TestCommands(t *testing.T) {
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"with", "Season the soup with pepper.", "soup USES pepper"},
		{"from", "Remove the cartridge from the tray.", "cartridge PART_OF tray"},
		{"into", "Insert the cartridge into the printer.", "cartridge PART_OF printer"},
		{"in", "Place the jars in a water bath.", "jar LOCATED_IN water bath"},
		{"a second one", "Boil the water; add the barley to the stock.", "barley PART_OF stock"},
		{"denied", "Do not insert the cartridge into the printer.", ""},
		{"a noun", "Place names in Wales are long.", ""},
		{"what was done", "- Added the theme to the editor.\n", "theme PART_OF editor"},
		{"what was fixed", "- Fixed a crash in the exporter.\n", "crash LOCATED_IN exporter"},
		{"what was replaced", "- Replaced the importer with DuckDB.\n", "DuckDB REPLACES importer"},
		{"what was switched", "- Switched from Make to Bazel.\n", "Bazel REPLACES Make"},
		{"what was renamed", "- Renamed the broker to dispatcher.\n", "dispatcher REPLACES broker"},
		{"what made room", "- Dropped SQLite in favour of DuckDB.\n", "DuckDB REPLACES SQLite"},
		{"what was dropped", "Needles were dropped in favour of pellets.", "pellet REPLACES needle"},
		{"a subject behind", "Added to the stock, the barley thickens the soup.", "barley INFLUENCES soup"},
		{"as it is", "`--full` shows it whole, and `-o json` as it stands in the document.", ""},
		{"what we use", "We use Grafana for dashboards.", "dashboard USES Grafana"},
		{"whose task it is", "| Who | What |\n|---|---|\n| Femi | write the runbook |\n", "Femi PRODUCES runbook"},
		{"no task", "| Key | What |\n|---|---|\n| Femi | write the runbook |\n", ""},
	})
}

func TestMoreVerbs(t *testing.T) {
	checkExamples(t, "", []example{
		{"a list of them", "Nortel publishes a list of vessels.", ""},
		{"keeps a register", "The operator keeps a register.", "operator HAS_PART register"},
		{"keeps an animal", "The operator keeps a parrot.", ""},
		{"shows", "The dashboard shows the throughput.", "dashboard HAS_PART throughput"},
		{"who works on it", "Otto Kessel works on the parser.", "Otto Kessel INFLUENCES parser"},
		{"written again", "The plugin was rewritten in Rust.", "plugin USES Rust"},
		{"a verb behind and", "It imports CSV files and exports PDF.", ""},
		{"a kind and its parts", "The chowder is a soup of barley.", "chowder COMPOSED_OF barley; chowder SPECIALIZES soup"},
		{"who approves", "The board approves the budget.", "board SUPPORTS budget"},
	})
}

func TestHeadsOfColumns(t *testing.T) {
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"an identifier", "| Address | Variant |\n|---|---|\n| 0x44 | HX-40A |\n", "HX-40A INSTANTIATES Variant"},
	})
}
