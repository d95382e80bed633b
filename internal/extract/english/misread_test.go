package english

import (
	"testing"

	"github.com/kappagraph/kappa"
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
		{"a relative include", "Samples that include a location are counted.", "sample HAS_PART location"},
		{"a purpose that has a cost", "The engine pools buffers to save memory, which causes delays.", ""},
		{"it behind another pronoun", "The crane puts it beside the quay; it is a part of the harbour.", ""},
		{"called, behind by", "The valve is opened by the tool called Openit.", ""},
		{"instead of, behind of", "Gardeners use the shed as a store of tools instead of a barn.", ""},
		{"a place with a digit", "The headers are JSON in UTF-8.", ""},
	})
}

// TestRowsOfTables wants empty cells to keep their columns, and identifiers to be
// instances of few heads.
func TestRowsOfTables(t *testing.T) {
	checkExamples(t, kappa.ContentMarkdown, []example{
		{"an empty cell", "| setting | flag | default |\n|---|---|---|\n| `KG_LANES` | | `leader` |\n", ""},
		{"a flag", "| setting | flag |\n|---|---|\n| `KG_IDLE` | `--max-idle` |\n", "max-idle INSTANTIATES flag"},
		{"a flag that is a word", "| setting | flag |\n|---|---|\n| `KG_LANES` | `--lanes` |\n", ""},
		{"a flag that is a word, in the first column", "| flag | what it does |\n|---|---|\n| `--job` | only its events |\n", ""},
		{"which test the worker has", "| rule | worker |\n|---|---|\n| 2 | `TestFull` |\n", ""},
		{"where a test runs", "| rule | server |\n|---|---|\n| 2 | `TestFull` |\n", ""},
		{"a verb for a gloss", "- `omitzero`: print zero-value field when encoding\n", ""},
		{"a list of who uses it", "Many projects are built with Viper including:\n\n- Hugo\n- Mercure\n", "project USES Viper"},
	})
}
