package english

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// TestMisreadObjects wants no statement of what only looks like the object of a verb.
func TestMisreadObjects(t *testing.T) {
	checkExamples(t, "", []example{
		{"a particle behind the verb", "The dam holds back a river.", ""},
		{"a light verb with a particle", "The furnace uses up its coal.", ""},
		{"who is made to do something", "The foreman has the welder repair the boiler.", ""},
		{"what is made to do something, read as a noun", "The lever makes every turbine spin the same axle.", ""},
		{"somebody else who needs it", "Tests for every dialect, I need help.", ""},
		{"a verb that was read as a noun", "The wrapper will have the watcher send the updates.", ""},
		{"a gerund that is stopped", "The listener stops reading.", ""},
		{"a gerund inside a noun phrase", "Integer truncating division is slow.", ""},
		{"what is made to do something", "The lever makes the turbine to enable the generator.", ""},
		{"a participle inside the subject", "The minimum supported compiler is the newest compiler.", ""},
		{"by default", "The firewall is enabled by default.", ""},
		{"in conjunction with", "Gardeners use compost in conjunction with mulch.", "gardener USES compost"},
		{"based on, behind the wrong noun", "The option selects samples from a profile based on tags.", ""},
		{"a line that starts with its verb", "Checks banned characters in identifiers.", ""},
		{"a purpose", "The objective is to generate a report.", ""},
		{"an adjective behind the object", "Rust makes the bolts loose with the hammer.", ""},
		{"an object that goes with the verb", "The clerk holds a lock on the archive.", ""},
		{"dropped from", "Frames are dropped from the profile.", ""},
		{"taken from", "The cargo is taken from its owner.", ""},
		{"what is taken from its origin", "The melody is taken from a ballad.", "melody DERIVED_FROM ballad"},
		{"pressed from", "The oil is pressed from olives.", "oil DERIVED_FROM olive"},
		{"compatibility is maintained", "The project maintains compatibility.", ""},
		{"somebody who maintains", "Anna Schmidt maintains the lighthouse.", "Anna Schmidt LEADS lighthouse"},
		{"a library that maintains", "The parser maintains a buffer.", ""},
		{"what is found every day", "The scanner finds leaks.", ""},
		{"what was found once", "Anna Schmidt discovered argon.", "Anna Schmidt DISCOVERED argon"},
	})
}

// TestPartsOfWhatIsHad wants no parts of what somebody has the names of.
func TestPartsOfWhatIsHad(t *testing.T) {
	checkExamples(t, "", []example{
		{"the names of something", "The parcel has the names of the owners.", ""},
		{"what it is called after", "The kettle has the settings of a kettle.", ""},
		{"an amount of it", "The kettle holds 18 g of coffee.", "kettle HAS_PART coffee"},
		{"a number of it", "The kettle has a number of valves.", "kettle HAS_PART valve"},
	})
}

// TestListsThatEnd wants lists to end where a verb or another clause begins.
func TestListsThatEnd(t *testing.T) {
	checkExamples(t, "", []example{
		{"a verb that was read as a noun", "Mangroves protect the coast against erosion and shelter young fish.", "mangrove PREVENTS erosion"},
		{"a list behind of", "The bundle is an archive of parchment, vellum and papyrus.", "bundle SPECIALIZES archive"},
		{"two subjects before another clause", "Ores are turned into iron or steel ingots, and ladles and hooks are replaced with pumps.", "iron DERIVED_FROM ore; pump REPLACES hook; pump REPLACES ladle; steel ingot DERIVED_FROM ore"},
	})
}

// TestClausesOfSomethingElse wants clauses not said of the noun right before them.
func TestClausesOfSomethingElse(t *testing.T) {
	checkExamples(t, "", []example{
		{"an example behind a relative clause", "For browsers that send headers, such as Firefox, a ticket is made.", "browser PRODUCES header"},
		{"an example behind its preposition", "Gateways that run through tunnels, such as Borrowly, wait.", ""},
		{"a relative include", "The clerk sorts samples that include a location.", "sample HAS_PART location"},
		{"a purpose that has a cost", "The engine pools buffers to save memory, which causes delays.", ""},
		{"it behind another pronoun", "The crane puts it beside the quay; it is a part of the harbour.", ""},
		{"called, behind by", "The valve is opened by the tool called Openit.", "tool INFLUENCES valve"},
		{"instead of, behind of", "Gardeners use the shed as a store of tools instead of a barn.", ""},
		{"a place with a digit", "The headers are JSON in UTF-8.", ""},
	})
}

// TestWhatHasNoPart wants what somebody has, and is no part, left out.
func TestWhatHasNoPart(t *testing.T) {
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"one of several", "A turbine has exactly one of a brake and a clutch.", ""},
		{"some of its own", "The canal has `share` (0.6) of its locks in Ostrava.", ""},
		{"a rate", "A turbine has 20 rotations a second.", ""},
		{"an answer", "The riddle has an answer.", ""},
		{"only those that a clause picks out", "A turbine that is not repaired has a leak.", ""},
		{"what all have", "A turbine has a rotor.", "turbine HAS_PART rotor"},
	})
}

// TestNoClass wants no kind of thing from what only looks like it.
func TestNoClass(t *testing.T) {
	checkExamples(t, "", []example{
		{"either of two", "A waterway is a river or a canal.", ""},
		{"the one at hand", "The answer is a spreadsheet.", ""},
		{"what it becomes", "A tadpole becomes a frog.", ""},
		{"who becomes it", "Mara Kessel became a surgeon.", "Mara Kessel INSTANTIATES surgeon"},
		{"a part of an amount", "Lufthansa's budget, a tenth, is spent.", ""},
		{"a fragment before a list", "Agents that read a spreadsheet:", ""},
	})
}

// TestListsOfParts wants an element of a list to keep what belongs to it alone.
func TestListsOfParts(t *testing.T) {
	checkExamples(t, "", []example{
		{"with parts of its own", "The golem consists of a head, a trunk with two arms, and a tail.", "golem COMPOSED_OF head; golem COMPOSED_OF tail; golem COMPOSED_OF trunk"},
		{"with, and no list", "The golem needs a trunk with two arms, and it grows.", "golem REQUIRES trunk"},
		{"a name between commas behind a clause", "When the train came, the vicar, Amos Pellerin, blessed it.", "Amos Pellerin INSTANTIATES vicar"},
		{"a name in a list behind a clause", "When the train came, the vicar, Amos Pellerin, and the sexton left.", ""},
		{"by a law", "The charter is governed by Swedish law.", "Swedish law INFLUENCES charter"},
		{"by law", "The charter is governed by law.", ""},
	})
}

// TestFields wants the names of fields that records repeat apart from terms.
func TestFields(t *testing.T) {
	record := "- **Undo**: an archive of the graph that was made before.\n- **Lane**: a corridor for vessels.\n\n"
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"a term that is explained", "- **Undo**: an archive of the graph that was made before.\n", "Undo INSTANTIATES archive"},
		{"a field of three records", "- **Undo**: an archive that was made before.\n- **Cost**: a minute of work.\n\n# Second\n\n- **Undo**: none.\n- **Cost**: none.\n\n# Third\n\n- **Undo**: none.\n- **Cost**: none.\n", ""},
		{"two records are few", record + "# Second\n\n- **Undo**: none.\n", "lane SPECIALIZES corridor; Undo INSTANTIATES archive"},
	})
}

// TestRowsOfTables wants empty cells to keep their columns, and identifiers to be
// instances of few heads.
func TestRowsOfTables(t *testing.T) {
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"an empty cell", "| setting | flag | default |\n|---|---|---|\n| `KG_LANES` | | `leader` |\n", ""},
		{"a flag", "| setting | flag |\n|---|---|\n| `KG_IDLE` | `--max-idle` |\n", "--max-idle INSTANTIATES flag"},
		{"a flag that is a word", "| setting | flag |\n|---|---|\n| `KG_LANES` | `--lanes` |\n", "--lanes INSTANTIATES flag"},
		{"a flag with its value", "| flag | what it does |\n|---|---|\n| `--job ID` | only its events |\n", "--job ID INSTANTIATES flag"},
		{"an identifier that is a word", "| event | what it says |\n|---|---|\n| `lane` | what runs in it |\n", ""},
		{"more of them than one", "| alert | threshold |\n|---|---|\n| sensors | 20 |\n| wraparound | 30 |\n", "wraparound SPECIALIZES alert"},
		{"a head whose start is cut off", "answer |\n|---|---|\n| `grace_ms` | none |\n", ""},
		{"an adjective below a head", "| tier | verdict |\n|---|---|\n| 1 | Unexplored |\n", ""},
		{"what may happen", "| When | Remedy |\n|---|---|\n| A page sends a request | The proxy reads the header |\n", ""},
		{"what may happen, in a later column", "| Alert | When | Why |\n|---|---|---|\n| channels | a page sends a request | each channel is an open socket |\n", "channel SPECIALIZES open socket"},
		{"a clause in the first cell", "| What happens | Then |\n|---|---|\n| A kiln kills its potter | The sexton reads the register |\n", ""},
		{"a fact in a later cell", "| Rule | Says |\n|---|---|\n| I06 | the sexton reads the register |\n", "sexton USES register"},
		{"how a type is written", "| Type | JSON |\n|---|---|\n| `DECIMAL(p,s)` | a parchment with all its digits |\n", ""},
		{"what a thing is", "| Word | Meaning |\n|---|---|\n| `FJORD_ID` | a parchment with all its digits |\n", "FJORD_ID INSTANTIATES parchment"},
		{"what a directory has in it", "| Directory | What is in it |\n|---|---|\n| `cmd/reader` | a scanner of maps |\n", ""},
		{"a head that is not known", "| A page sends a request | refuse it |\n", ""},
		{"which test the worker has", "| rule | worker |\n|---|---|\n| 2 | `TestFull` |\n", ""},
		{"where a test runs", "| rule | server |\n|---|---|\n| 2 | `TestFull` |\n", ""},
		{"a verb for a gloss", "- `omitzero`: print zero-value field when encoding\n", ""},
		{"a list of who uses it", "Many projects are built with Viper including:\n\n- Hugo\n- Mercure\n", "project USES Viper"},
	})
}

// TestVerbsTakenForNouns wants verbs that the tagger takes for nouns and adjectives to be
// none of them.
func TestVerbsTakenForNouns(t *testing.T) {
	checkExamples(t, "", []example{
		{"before a plural in -s", "A claim skips rows that another transaction has locked. It reads an index.", "claim USES index"},
		{"before these", "Commands, which talk to a server, take these from the file.", "command USES server"},
		{"behind an identifier", "The scope alone permits reading, reports and `admin` permit all that the account may.", "scope ENABLES reading"},
		{"before and with another verb", "The owner sees a map, `curator` sees and buys the vessels of everybody.", "curator ACQUIRED vessel"},
		{"void", "Both make its old tokens void with the next request.", ""},
		{"found by those who look for it", "The text of a chunk is stored and found by searches.", ""},
		{"what was discovered", "The comet was seen and found by Mara Kessel.", ""},
		{"with an option alone", "With `--exec` a program uses the disk.", ""},
		{"what a condition leaves open", "Without a model the query is slow. It demands a permission.", ""},
	})
}

// TestWhatHoldsOfSome wants nothing said of a whole class when a clause picks out some of it.
func TestWhatHoldsOfSome(t *testing.T) {
	checkExamples(t, "", []example{
		{"a subject that a clause narrows", "A kiln that loses its chimney stops its bellows.", ""},
		{"many that a clause narrows", "Kilns that lose a chimney stop the bellows.", ""},
		{"one that a clause describes", "A kiln, which loses its chimney, consumes charcoal.", "kiln CONSUMES charcoal"},
		{"what one of them did", "A storm that crossed the bay destroyed the pier.", "storm INFLUENCES pier"},
		{"each that", "The toll rises with each vessel that changed the harbour.", ""},
		{"the ones that", "The vessels that burn charcoal are slow.", ""},
		{"another", "Another kiln consumes charcoal.", ""},
		{"those of others", "Kilns of other potters consume charcoal.", ""},
		{"each of it", "The parchment is torn, and each corner of it has a stamp.", ""},
		{"while, in the present", "The gate is shut while a sexton reads the register.", ""},
		{"while, of what differs", "Sextons read the register, while potters consume charcoal.", "potter CONSUMES charcoal; sexton USES register"},
		{"behind, at the start", "Behind a hedge all vessels come from one harbour.", ""},
	})
}

// TestWhatIsNotMade wants nothing produced by who only carries it, and no part in what only
// holds it.
func TestWhatIsNotMade(t *testing.T) {
	checkExamples(t, "", []example{
		{"a thing that is sent", "The potter sends a kiln.", ""},
		{"a message that is sent", "The potter sends a postcard.", "potter PRODUCES postcard"},
		{"a receiver and what is offered", "The bank offers students a loan.", "bank PRODUCES loan"},
		{"a receiver and what is built", "Amos Pellerin built the king a palace.", "Amos Pellerin PRODUCES palace"},
		{"a receiver of a message", "The potter sent the sexton a postcard.", "potter PRODUCES postcard"},
		{"a receiver of a thing", "The potter sent the sexton a kiln.", ""},
		{"spun into", "Wool is spun into yarn.", "yarn DERIVED_FROM wool"},
		{"a gerund before of", "Salt lowers the freezing point of water.", "salt INFLUENCES freezing point of water"},
		{"what is written down", "The potter writes its riddle into a register.", ""},
		{"what is written", "The potter writes a riddle.", "potter PRODUCES riddle"},
		{"where it is kept", "The barn holds its hay in a loft.", "hay LOCATED_IN loft"},
		{"the ones that are kept there", "The custodian stores the parchments in a vault.", "parchment LOCATED_IN vault"},
		{"what is given back", "The custodian returned the parchments to the sexton.", ""},
		{"what a function returns", "The function returns parchments.", "function PRODUCES parchment"},
		{"counted from", "The vessels are counted from the rows of the register.", ""},
		{"works on", "The sexton works on the registers.", ""},
		{"what it runs on", "The kiln works on charcoal.", "kiln USES charcoal"},
	})
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"an example of what it may be", "The gate takes a password in the field `Gate-Key`, a riddle for example.", ""},
		{"the form of something", "A riddle has the form `who: what: why`.", ""},
	})
}

// TestSomeAreLessSure wants what is said of some of a kind stored with less confidence.
func TestSomeAreLessSure(t *testing.T) {
	for text, want := range map[string]float64{"Badgers consume moss.": confidenceStated, "Some badgers consume moss.": confidenceHedged, "Several badgers consume moss.": confidenceHedged} {
		e, err := newExtractor(t).Extract(t.Context(), knowledge.Passage{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Relationships) != 1 || e.Relationships[0].Confidence != want {
			t.Errorf("%s: %+v, want one of confidence %v", text, e.Relationships, want)
		}
	}
}
