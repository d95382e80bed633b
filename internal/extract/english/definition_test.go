package english

import (
	"slices"
	"strings"
	"testing"
)

// classExamples has a sentence for each noun of classNouns.
var classExamples = []example{
	{"part", "The cochlea is a part of the ear.", "cochlea PART_OF ear"},
	{"component", "The gasket is a component of the pump.", "gasket PART_OF pump"},
	{"element", "The keystone is an element of the arch.", "keystone PART_OF arch"},
	{"member", "The cello is a member of the violin family.", "cello PART_OF violin family"},
	{"subset", "The dialect is a subset of the grammar.", "dialect PART_OF grammar"},
	{"branch", "Topology is a branch of mathematics.", "topology PART_OF mathematics"},
	{"section", "The chorus is a section of the hymn.", "chorus PART_OF hymn"},
	{"division", "The brigade is a division of the militia.", "brigade PART_OF militia"},
	{"province", "Gansu is a province of China.", "Gansu PART_OF China"},
	{"suburb", "Bondi is a suburb of Sydney.", "Bondi PART_OF Sydney"},
	{"district", "Alfama is a district of Lisbon.", "Alfama PART_OF Lisbon"},
	{"layer", "The dermis is a layer of the skin.", "dermis PART_OF skin"},
	{"constituent", "The keratin is a constituent of the hoof.", "keratin PART_OF hoof"},
	{"ingredient", "The saffron is an ingredient of the paella.", "saffron PART_OF paella"},
	{"module", "The parser is a module of the compiler.", "parser PART_OF compiler"},
	{"stage", "The pupa is a stage of the metamorphosis.", "pupa PART_OF metamorphosis"},
	{"phase", "The crescent is a phase of the moon.", "crescent PART_OF moon"},
	{"type", "The sloop is a type of sailboat.", "sloop SPECIALIZES sailboat"},
	{"kind", "The lathe is a kind of machine tool.", "lathe SPECIALIZES machine tool"},
	{"form", "The haiku is a form of poetry.", "haiku SPECIALIZES poetry"},
	{"sort", "The ferret is a sort of polecat.", "ferret SPECIALIZES polecat"},
	{"class", "The terpene is a class of hydrocarbon.", "terpene SPECIALIZES hydrocarbon"},
	{"species", "The dingo is a species of mammal.", "dingo SPECIALIZES mammal"},
	{"variety", "The shiraz is a variety of grape.", "shiraz SPECIALIZES grape"},
	{"subclass", "The warbler is a subclass of songbird.", "warbler SPECIALIZES songbird"},
	{"subtype", "The integer is a subtype of rational number.", "integer SPECIALIZES rational number"},
	{"variant", "The strain is a variant of influenza.", "strain SPECIALIZES influenza"},
	{"breed", "The collie is a breed of sheepdog.", "collie SPECIALIZES sheepdog"},
	{"genus", "The fern is a genus of plant.", "fern SPECIALIZES plant"},
	{"family", "The sedge is a family of grass.", "sedge SPECIALIZES grass"},
	{"example", "Stonehenge is an example of prehistoric architecture.", "Stonehenge INSTANTIATES prehistoric architecture"},
	{"instance", "Vesuvius is an instance of a stratovolcano.", "Vesuvius INSTANTIATES stratovolcano"},
	{"set", "The alphabet is a set of letters.", "alphabet COMPOSED_OF letter"},
	{"group", "The archipelago is a group of islands.", "archipelago COMPOSED_OF island"},
	{"collection", "The anthology is a collection of poems.", "anthology COMPOSED_OF poem"},
	{"list", "The roster is a list of sailors.", "roster COMPOSED_OF sailor"},
	{"series", "The saga is a series of novels.", "saga COMPOSED_OF novel"},
	{"sequence", "The codon is a sequence of nucleotides.", "codon COMPOSED_OF nucleotide"},
	{"mixture", "The mortar is a mixture of sand and lime.", "mortar COMPOSED_OF sand; mortar COMPOSED_OF lime"},
	{"combination", "The chord is a combination of pitches.", "chord COMPOSED_OF pitch"},
	{"chain", "The polymer is a chain of organic monomers.", "polymer COMPOSED_OF organic monomer"},
	{"alloy", "The solder is an alloy of copper and zinc.", "solder COMPOSED_OF copper; solder COMPOSED_OF zinc; solder SPECIALIZES alloy"},
	{"network", "The plexus is a network of nerves.", "plexus COMPOSED_OF nerve"},
	{"pair", "The duo is a pair of violinists.", "duo COMPOSED_OF violinist"},
	{"cause", "The virus is a cause of hepatitis.", "virus CAUSES hepatitis"},
	{"trigger", "The pollen is a trigger of asthma.", "pollen CAUSES asthma"},
	{"source", "The kelp is a source of iodine.", "kelp PRODUCES iodine"},
	{"producer", "Chile is a producer of copper.", "Chile PRODUCES copper"},
	{"result", "The delta is a result of sedimentation.", "delta RESULTS_FROM sedimentation"},
	{"consequence", "The famine is a consequence of the drought.", "famine RESULTS_FROM drought"},
	{"effect", "The aurora is an effect of solar wind.", "aurora RESULTS_FROM solar wind"},
	{"product", "The ash is a product of combustion.", "ash RESULTS_FROM combustion"},
	{"byproduct", "The whey is a byproduct of cheesemaking.", "whey RESULTS_FROM cheesemaking"},
	{"by-product", "The slag is a by-product of smelting.", "slag RESULTS_FROM smelting"},
	{"outcome", "The armistice is an outcome of diplomacy.", "armistice RESULTS_FROM diplomacy"},
	{"complication", "The sepsis is a complication of pneumonia.", "sepsis RESULTS_FROM pneumonia"},
	{"symptom", "The rash is a symptom of typhus.", "rash RESULTS_FROM typhus"},
	{"extension", "The plugin is an extension of the editor.", "plugin EXTENDS editor"},
	{"implementation", "The driver is an implementation of the protocol.", "driver IMPLEMENTS protocol"},
	{"opposite", "The zenith is the opposite of the nadir.", "zenith OPPOSITE_OF nadir"},
	{"inverse", "The logarithm is the inverse of the exponential.", "logarithm OPPOSITE_OF exponential"},
	{"derivative", "The drug is the derivative of morphine.", "drug DERIVED_FROM morphine"},
	{"descendant", "The dachshund is a descendant of the wolf.", "dachshund DERIVED_FROM wolf"},
	{"prerequisite", "The lemma is a prerequisite of calculus.", "calculus REQUIRES lemma"},
	{"precursor", "The abacus is a precursor of the calculator.", "abacus PRECEDES calculator"},
	{"capital", "Paris is the capital of France.", "Paris CAPITAL_OF France"},
	{"author", "J. K. Rowling is the author of Harry Potter.", "J. K. Rowling PRODUCES Harry Potter"},
	{"writer", "Jane Austen was the writer of the libretto.", "Jane Austen PRODUCES libretto"},
	{"composer", "Verdi is the composer of Aida.", "Verdi PRODUCES Aida"},
	{"inventor", "Gutenberg was the inventor of the press.", "Gutenberg PRODUCES press"},
	{"creator", "Linus Torvalds is the creator of Linux.", "Linus Torvalds PRODUCES Linux"},
	{"developer", "Mozilla is the developer of Firefox.", "Mozilla PRODUCES Firefox"},
	{"maker", "Airbus is a maker of jets.", "Airbus PRODUCES jet"},
	{"manufacturer", "Airbus is a manufacturer of jets.", "Airbus PRODUCES jet"},
	{"founder", "Bill Gates is the founder of Microsoft.", "Bill Gates FOUNDED Microsoft"},
	{"co-founder", "Paul Allen is a co-founder of Microsoft.", "Paul Allen FOUNDED Microsoft"},
	{"cofounder", "Paul Allen is a cofounder of Microsoft.", "Paul Allen FOUNDED Microsoft"},
	{"discoverer", "Marie Curie is the discoverer of radium.", "Marie Curie DISCOVERED radium"},
	{"ceo", "Satya Nadella is the CEO of Microsoft.", "Satya Nadella LEADS Microsoft"},
	{"executive", "Anna Schmidt is the chief executive of Nortel.", "Anna Schmidt LEADS Nortel"},
	{"head", "Anna Schmidt is the head of the clinic.", "Anna Schmidt LEADS clinic"},
	{"leader", "Anna Schmidt is the leader of the expedition.", "Anna Schmidt LEADS expedition"},
	{"director", "Anna Schmidt is the director of the museum.", "Anna Schmidt LEADS museum"},
	{"president", "Anna Schmidt is the president of the senate.", "Anna Schmidt LEADS senate"},
	{"chairman", "Paul Allen is the chairman of the committee.", "Paul Allen LEADS committee"},
	{"chairwoman", "Anna Schmidt is the chairwoman of the committee.", "Anna Schmidt LEADS committee"},
	{"chair", "Anna Schmidt is the chair of the committee.", "Anna Schmidt LEADS committee"},
	{"mayor", "Anna Schmidt is the mayor of Bergen.", "Anna Schmidt LEADS Bergen"},
	{"governor", "Anna Schmidt is the governor of Texas.", "Anna Schmidt LEADS Texas"},
	{"subsidiary", "YouTube is a subsidiary of Google.", "YouTube PART_OF Google"},
	{"department", "The archive is a department of the ministry.", "archive PART_OF ministry"},
	{"subsystem", "The scheduler is a subsystem of the kernel.", "scheduler PART_OF kernel"},
	{"tributary", "The Neckar is a tributary of the Rhine.", "Neckar PART_OF Rhine"},
	{"dialect", "Scouse is a dialect of English.", "Scouse SPECIALIZES English"},
	{"alternative", "The tram is an alternative of the bus.", "tram ANALOGOUS_TO bus"},
	{"synonym", "Hypotension is a synonym of hypertension.", "hypotension ANALOGOUS_TO hypertension"},
	{"successor", "The euro is the successor of the franc.", "euro FOLLOWS franc"},
	{"predecessor", "The franc is the predecessor of the euro.", "franc PRECEDES euro"},
	{"replacement", "The lexer is a replacement of the parser.", "lexer REPLACES parser"},
	{"fork", "The dimmer is a fork of OpenDimmer.", "dimmer DERIVED_FROM OpenDimmer"},
	{"adaptation", "The opera is an adaptation of the ballad.", "opera DERIVED_FROM ballad"},
	{"translation", "The psalter is a translation of the Vulgate.", "psalter DERIVED_FROM Vulgate"},
	{"venture", "The refinery is a venture of the brewery.", "refinery DERIVED_FROM brewery"},
	{"belt", "The coast is a belt of mangroves.", "coast COMPOSED_OF mangrove; coast SPECIALIZES belt"},
	{"sheet", "The membrane is a sheet of rubber.", "membrane COMPOSED_OF rubber"},
	{"soup", "The borscht is a soup of beets and cabbage.", "borscht COMPOSED_OF beet; borscht COMPOSED_OF cabbage; borscht SPECIALIZES soup"},
	{"stew", "The ragout is a stew of beef and paprika.", "ragout COMPOSED_OF beef; ragout COMPOSED_OF paprika; ragout SPECIALIZES stew"},
	{"blend", "The perfume is a blend of lavender and musk.", "perfume COMPOSED_OF lavender; perfume COMPOSED_OF musk"},
	{"mix", "The mortar is a mix of lime and gravel.", "mortar COMPOSED_OF lime; mortar COMPOSED_OF gravel"},
	{"bundle", "The tendon is a bundle of fibres.", "tendon COMPOSED_OF fibre"},
	{"cluster", "The galaxy is a cluster of nebulae.", "galaxy COMPOSED_OF nebulae"},
	{"array", "The telescope is an array of mirrors.", "telescope COMPOSED_OF mirror"},
	{"string", "The archipelago is a string of islands.", "archipelago COMPOSED_OF island"},
	{"team", "The crew is a team of divers.", "crew COMPOSED_OF diver"},
	{"row", "The hedge is a row of hawthorns.", "hedge COMPOSED_OF hawthorn"},
	{"stack", "The capacitor is a stack of electrodes.", "capacitor COMPOSED_OF electrode"},
	{"compound", "Rust is a compound of oxygen.", "rust COMPOSED_OF oxygen; rust SPECIALIZES compound"},
	{"solution", "The brine is a solution of salt.", "brine COMPOSED_OF salt"},
	{"suite", "The toolkit is a suite of compilers.", "toolkit COMPOSED_OF compiler"},
	{"federation", "The league is a federation of guilds.", "league COMPOSED_OF guild; league SPECIALIZES federation"},
	{"owner", "Anna Schmidt is the owner of the vineyard.", "Anna Schmidt OWNS vineyard"},
	{"holder", "The brewery is the holder of the patent.", "brewery OWNS patent"},
	{"operator", "The utility is the operator of the reactor.", "utility LEADS reactor"},
	{"manager", "Anna Schmidt is the manager of the vineyard.", "Anna Schmidt LEADS vineyard"},
	{"editor", "Anna Schmidt is the editor of the gazette.", "Anna Schmidt LEADS gazette"},
	{"captain", "Anna Schmidt is the captain of the trawler.", "Anna Schmidt LEADS trawler"},
	{"chief", "Anna Schmidt is the chief of the tribe.", "Anna Schmidt LEADS tribe"},
	{"king", "Harald is the king of Norway.", "Harald LEADS Norway"},
	{"queen", "Anna Schmidt is the queen of Norway.", "Anna Schmidt LEADS Norway"},
	{"ruler", "Harald was the ruler of Norway.", "Harald LEADS Norway"},
	{"emperor", "Trajan was the emperor of Rome.", "Trajan LEADS Rome"},
	{"minister", "Anna Schmidt is the minister of transport.", "Anna Schmidt LEADS transport"},
	{"commander", "Anna Schmidt is the commander of the garrison.", "Anna Schmidt LEADS garrison"},
	{"rector", "Anna Schmidt is the rector of the academy.", "Anna Schmidt LEADS academy"},
	{"dean", "Anna Schmidt is the dean of the cathedral.", "Anna Schmidt LEADS cathedral"},
	{"chancellor", "Anna Schmidt is the chancellor of Austria.", "Anna Schmidt LEADS Austria"},
	{"maintainer", "Anna Schmidt is the maintainer of the compiler.", "Anna Schmidt LEADS compiler"},
	{"user", "The dairy is a user of the enzyme.", "dairy USES enzyme"},
	{"supplier", "The foundry is a supplier of valves.", "foundry PRODUCES valve"},
	{"provider", "The brewery is a provider of yeast.", "brewery PRODUCES yeast"},
	{"vendor", "The foundry is a vendor of valves.", "foundry PRODUCES valve"},
	{"publisher", "The abbey is the publisher of the almanac.", "abbey PRODUCES almanac"},
	{"employee", "Anna Schmidt is an employee of the brewery.", "Anna Schmidt PART_OF brewery"},
	{"citizen", "Anna Schmidt is a citizen of Norway.", "Anna Schmidt PART_OF Norway"},
	{"organ", "The senate is an organ of the federation.", "senate PART_OF federation"},
	{"chapter", "The appendix is a chapter of the almanac.", "appendix PART_OF almanac"},
	{"region", "Tuscany is a region of Italy.", "Tuscany PART_OF Italy"},
	{"area", "The cortex is an area of the cerebrum.", "cortex PART_OF cerebrum"},
	{"colony", "The island was a colony of Denmark.", "island PART_OF Denmark"},
	{"basis", "Limestone is the basis of the mortar.", "mortar DERIVED_FROM limestone"},
	{"foundation", "The treaty is the foundation of the federation.", "federation DEPENDS_ON treaty"},
	{"ancestor", "The wolf is the ancestor of the poodle.", "poodle DERIVED_FROM wolf"},
}

func TestClassNouns(t *testing.T) { checkExamples(t, "", classExamples) }

// TestClassNounsHaveExamples wants a sentence for each noun.
func TestClassNounsHaveExamples(t *testing.T) {
	var nouns, examples []string
	for entry := range strings.FieldsSeq(classNouns) {
		noun, _, _ := strings.Cut(entry, ":")
		nouns = append(nouns, noun)
	}
	for _, x := range classExamples {
		examples = append(examples, x.rule)
	}
	if !slices.Equal(nouns, examples) {
		t.Errorf("the nouns are\n%q\nand the examples are of\n%q", nouns, examples)
	}
}

func TestDefinitions(t *testing.T) {
	checkExamples(t, "", []example{
		{"an indefinite complement is a class", "The lynx is a carnivore.", "lynx SPECIALIZES carnivore"},
		{"a name is an instance of it", "Everest is a mountain.", "Everest INSTANTIATES mountain"},
		{"plurals without an article", "Fungi are eukaryotes.", "fungus SPECIALIZES eukaryote"},
		{"a definite complement is no class", "The lynx is the carnivore.", ""},
		{"nor is what is denied", "The whale is no fish.", ""},
		{"nor what may be", "The fossil may be a mollusc.", ""},
		{"nor a pronoun", "It is a carnivore.", ""},
		{"one among others", "Copper is among the metals.", ""},
		{"a class needs a noun that means something", "The embargo is a matter.", ""},
		{"or one before it", "The eclipse is a boundary case. The spool is a print process.", "spool SPECIALIZES print process"},
		{"which some nouns never make", "The quarrel is a textbook case.", ""},
		{"what is behind an of is not defined", "A lot of copper is a conductor.", ""},
		{"two classes after two subjects", "Copper and silver are conductors.", "copper SPECIALIZES conductor; silver SPECIALIZES conductor"},
	})
}

func TestAppositions(t *testing.T) {
	checkExamples(t, "", []example{
		{"a name and what it is", "Ada Lovelace, a programmer, visited Turin.", "Ada Lovelace INSTANTIATES programmer"},
		{"what it is a part of", "Alfama, a district of Lisbon, survived.", "Alfama PART_OF Lisbon"},
		{"a common noun and its kind", "The oryx, an antelope, survives.", "oryx SPECIALIZES antelope"},
		{"a list is none", "The museum shows Rembrandt, a lute, and a globe.", ""},
		{"nor is a clause of its own", "In Lisbon, a tram climbs the hill.", ""},
		{"nor two indefinite phrases", "They bought a lute, a globe.", ""},
	})
}

// TestDefinitionsDescribe checks what sentences become descriptions.
func TestDefinitionsDescribe(t *testing.T) {
	for _, c := range []struct{ rule, text, label, want string }{
		{"the sentence that defines", "The oryx is an antelope. It grazes.", "oryx", "The oryx is an antelope."},
		{"the first of two", "The oryx is an antelope. The oryx is a grazer.", "oryx", "The oryx is an antelope."},
		{"not one that only says a bit", "The oryx eats grass.", "oryx", ""},
		{"not of two subjects", "The oryx and the eland are antelopes.", "oryx", ""},
		{"without markup, with single spaces", "The **oryx**  is an\n*antelope*.", "oryx", "The oryx is an antelope."},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := describes(t, c.text, "", c.label); got != c.want {
				t.Errorf("%q: %q, want %q", c.text, got, c.want)
			}
		})
	}
}
