package english

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

func TestDeniedAndSupposed(t *testing.T) {
	checkExamples(t, "", []example{
		{"MUST NOT", "The server MUST NOT use a cookie.", ""},
		{"SHALL NOT", "The proxy SHALL NOT use compression.", ""},
		{"MUST is a verb, not a name", "The server MUST use TLS.", "server USES TLS"},
		{"fails to", "The drug fails to prevent infection.", ""},
		{"unlikely", "Smoking is unlikely to cause diabetes.", ""},
		{"lacks", "The database lacks a cache.", ""},
		{"ceased to", "The company ceased to produce engines.", ""},
		{"no longer", "The protocol no longer uses encryption.", ""},
		{"used to", "The plant used to produce steel.", ""},
		{"is used to is a fact", "Quinine is used to treat malaria.", "Quinine TREATS malaria"},
		{"is used to make", "Gypsum is used to make plaster.", "Gypsum PRODUCES plaster"},
		{"to make, not used", "The company seeks to make plaster.", ""},
		{"plans to", "The company plans to produce engines.", ""},
		{"is said to", "Garlic is said to prevent colds.", ""},
		{"could", "The car could contain a bomb.", ""},
		{"would", "A strike would cause delays.", ""},
		{"may is less sure", "The drug may cause nausea.", "drug CAUSES nausea"},
		{"few", "Few drugs prevent malaria.", ""},
		{"a few are some", "A few drugs prevent malaria.", "drug PREVENTS malaria"},
		{"if", "If the cache contains a record, the server uses the disk.", "server USES disk"},
		{"if, at the end", "The server stops if the cache contains a record.", ""},
		{"when, in the present", "When the pump produces steam, the valve opens.", ""},
		{"when, in the past, is told", "When Google acquired YouTube, the market reacted.", "Google ACQUIRED YouTube"},
		{"unless", "The scheduler runs unless the node requires maintenance.", ""},
		{"until", "The lane waits until the server requires a lock.", ""},
		{"provided that", "Provided that the pump contains oil, the engine runs.", ""},
		{"where, at the start", "Where the roof has a gutter, the server uses the disk.", "server USES disk"},
		{"because of what a clause picks out", "It stops, because a virus that kills its host would kill the next one.", ""},
		{"a question", "Does coffee cause insomnia?", ""},
		{"no evidence that", "There is no evidence that vaccines cause autism.", ""},
		{"not true that", "It is not true that vaccines cause autism.", ""},
		{"claims that", "The author claims that the moon consists of cheese.", ""},
		{"denied that", "He denied that the company uses spyware.", ""},
	})
}

// TestStressIsNoLabel wants words that are written in capitals to stress them outside
// of labels.
func TestStressIsNoLabel(t *testing.T) {
	text := "The server MUST NOT send a cookie. Clients SHALL NOT use compression. A proxy MAY include a header."
	e, err := newExtractor(t).Extract(t.Context(), knowledge.Passage{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range e.Concepts {
		if strings.ContainsAny(c.Label, "MSN") {
			t.Errorf("the label %q", c.Label)
		}
	}
}

func TestExamples(t *testing.T) {
	checkExamples(t, "", []example{
		{"examples of", "Examples of mammals include whales and bats.", "whale SPECIALIZES mammal; bat SPECIALIZES mammal"},
		{"one example of", "One example of a mammal is the whale.", "whale SPECIALIZES mammal"},
		{"types are", "Types of boats are yawls and ketches.", "yawl SPECIALIZES boat; ketch SPECIALIZES boat"},
		{"types after a colon", "There are three types of boat: sloops, cutters and ketches.", "sloop SPECIALIZES boat; cutter SPECIALIZES boat; ketch SPECIALIZES boat"},
		{"a plural includes its kinds", "Mammals include whales and bats.", "whale SPECIALIZES mammal; bat SPECIALIZES mammal"},
		{"a thing includes its parts", "The kit includes a pump.", "kit HAS_PART pump"},
		{"or says it of each", "Copper, silver or gold is a metal.", "copper SPECIALIZES metal; silver SPECIALIZES metal; gold SPECIALIZES metal"},
		{"what is called so", "Substances that dissolve in water are called solutes.", "solute SPECIALIZES substance"},
	})
}

func TestMeans(t *testing.T) {
	checkExamples(t, "", []example{
		{"means a", "\"Processor\" means a body that handles records.", "processor SPECIALIZES body"},
		{"shall mean any", "\"Controller\" shall mean any authority.", "Controller INSTANTIATES authority"},
		{"refers to", "Erosion refers to a weathering.", "erosion SPECIALIZES weathering"},
		{"a verb of replacing with with", "Version 2 replaces the parser with a lexer.", "lexer REPLACES parser"},
		{"converts into", "Plants convert sunlight into sugar.", "sugar DERIVED_FROM sunlight"},
		{"a place in a place", "Bergen is a city in Norway.", "Bergen INSTANTIATES city; Bergen LOCATED_IN Norway"},
	})
	if d := describes(t, "Photosynthesis means the conversion of light.", "", "photosynthesis"); d == "" {
		t.Error("no description of photosynthesis")
	}
}

func TestBecause(t *testing.T) {
	checkExamples(t, "", []example{
		{"because of, of a change", "The bridge collapsed because of corrosion.", "corrosion INFLUENCES bridge"},
		{"because of, of an event", "The outage occurred because of a storm.", "storm CAUSES outage"},
		{"was due to", "The outage was due to a storm.", "storm CAUSES outage"},
		{"due to", "Delays due to storms are rare.", "storm CAUSES delay"},
		{"a negation", "The outage was not due to a storm.", ""},
		{"what happened to it", "The road was closed because of a landslide.", "landslide INFLUENCES road"},
		{"what was planned to happen", "The road would be closed because of a landslide.", ""},
	})
}

func TestTopics(t *testing.T) {
	checkExamples(t, "", []example{
		{"it", "The heart is a muscle. It consists of chambers.", "heart SPECIALIZES muscle; heart COMPOSED_OF chamber"},
		{"they", "Bees are insects. They produce honey.", "bee SPECIALIZES insect; bee PRODUCES honey"},
		{"this and the class", "Malaria is a disease. This disease is caused by parasites.", "Malaria INSTANTIATES disease; parasite CAUSES Malaria"},
		{"this and the last word of the class", "Perlite is a volcanic glass. This glass contains water.", "Perlite HAS_PART water; Perlite INSTANTIATES volcanic glass"},
		{"it and a plural", "Bees are insects. It produces honey.", "bee SPECIALIZES insect"},
		{"two subjects", "Bees and wasps sting. They produce venom.", ""},
		{"it is what follows", "The company sells a pump. It is a blunder to use oil.", "company PRODUCES pump"},
		{"another paragraph", "The heart is a muscle.\n\nIt consists of chambers.", "heart SPECIALIZES muscle"},
	})
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"under a heading", "# Kappa\n\nIt uses PostgreSQL.\n", "Kappa USES PostgreSQL"},
		{"a definition under a heading", "# Circuit breaker\n\nA pattern that stops calls to a service.\n", "circuit breaker SPECIALIZES pattern"},
		{"a sentence under a heading", "# Circuit breaker\n\nA pattern stops calls to a service.\n", ""},
	})
}

// TestNamesInOnePiece wants names in one piece, as they are written.
func TestNamesInOnePiece(t *testing.T) {
	for _, x := range []struct{ rule, text, want string }{
		{"a title with and", "Pride and Prejudice is a novel.", "Pride and Prejudice"},
		{"a title in quotation marks", "Orwell wrote \"Nineteen Eighty-Four\" in 1948.", "Nineteen Eighty-Four"},
		{"a title in italics", "Dickens wrote *A Tale of Two Cities* late.", "A Tale of Two Cities"},
		{"an initial", "John F. Kennedy was a president.", "John F. Kennedy"},
		{"initials", "J. R. R. Tolkien was a writer.", "J. R. R. Tolkien"},
		{"of and and", "The Ministry of Education and Research is an agency.", "Ministry of Education and Research"},
		{"a number of a ruler", "Elizabeth the Second was a queen.", "Elizabeth the Second"},
		{"a curly apostrophe", "O’Brien is a lawyer.", "O'Brien"},
		{"a leading number", "3D reconstruction is a process.", "3D reconstruction"},
		{"a name inside a term", "A finite state Markov chain is a model.", "finite state Markov chain"},
		{"a participle", "Supervised learning is a technique.", "supervised learning"},
		{"no plural: Kubernetes", "Kubernetes is a platform.", "Kubernetes"},
		{"no plural: diabetes", "Diabetes is a disease.", "diabetes"},
		{"a plural in -aches", "Headaches cause nausea.", "headache"},
		{"New York", "New York City is a port.", "New York City"},
		{"no verb at the end", "Penicillin treats syphilis.", "Penicillin"},
		{"a quoted sentence is no title", "The \"garbage collector\" frees memory.", "garbage collector"},
	} {
		t.Run(x.rule, func(t *testing.T) {
			e, err := newExtractor(t).Extract(t.Context(), knowledge.Passage{Text: x.text, ContentType: corpus.ContentMarkdown})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range e.Concepts {
				if c.Label == x.want {
					return
				}
			}
			t.Errorf("%s\nhas no concept %q: %+v", x.text, x.want, e.Concepts)
		})
	}
}

func TestAliases(t *testing.T) {
	for _, x := range []struct{ text, label, alias string }{
		{"Acetaminophen, also known as paracetamol, is a painkiller.", "Acetaminophen", "paracetamol"},
		{"The mitral valve (also called the bicuspid valve) opens.", "mitral valve", "bicuspid valve"},
		{"Istanbul, formerly Constantinople, is a city.", "Istanbul", "Constantinople"},
		{"DWV stands for deformed wing virus.", "deformed wing virus", "DWV"},
	} {
		e, err := newExtractor(t).Extract(t.Context(), knowledge.Passage{Text: x.text})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, c := range e.Concepts {
			found = found || c.Label == x.label && len(c.SearchTerms) == 1 && c.SearchTerms[0] == x.alias
		}
		if !found {
			t.Errorf("%s\nhas no concept %q with the name %q: %+v", x.text, x.label, x.alias, e.Concepts)
		}
	}
	checkExamples(t, "", []example{
		{"a statement around the alias", "Acetaminophen, also known as paracetamol, causes nausea.", "Acetaminophen CAUSES nausea"},
		{"an indefinite class is no alias", "A stone called a voussoir lasts.", "voussoir SPECIALIZES stone"},
	})
}

// TestOddClauses wants sentences that start with a comma or a verb read without an end.
func TestOddClauses(t *testing.T) {
	for _, text := range []string{
		", aspirin, is a drug.", "however, aspirin, also known as ASA, is a drug.", "(which) is, was, has.", "that, if, it is a", "because of",
		"types of: a, b", "There is a scan in", "X replaces with Y", "It", "This is", "is used for", "is called a", "the physicist", "because of, due to rust",
	} {
		if _, err := newExtractor(t).Extract(t.Context(), knowledge.Passage{Text: text, ContentType: corpus.ContentMarkdown}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestWhatHoldsOfSomeOnly wants what is said of some things of a class not said of all.
func TestWhatHoldsOfSomeOnly(t *testing.T) {
	checkExamples(t, "", []example{
		{"a relative clause picks some", "A phrase that means nothing is an anomaly.", ""},
		{"so does a phrase with with", "A parcel with two stamps is a rarity.", ""},
		{"an inversion", "A parameter is refused, and so is a lane.", ""},
		{"less on", "The harvest depends less on the fertilizer.", ""},
		{"what someone does", "What a printer writes waits.", ""},
		{"the only part that", "It is the only part of Kappa that needs a compiler.", ""},
		{"a clause behind a name", "While no pump has an inlet, a valve that needs one ends.", ""},
	})
}

// TestPlaces wants places where "in" cannot say when or how something is done.
func TestPlaces(t *testing.T) {
	checkExamples(t, "", []example{
		{"a place at the start of a clause", "The observatory in Chile is closed.", "observatory LOCATED_IN Chile"},
		{"a town and its country", "The bakery opened in Falun, Sweden.", "Falun LOCATED_IN Sweden; bakery LOCATED_IN Falun"},
		{"a list of countries", "The bakery sells in Norway, Sweden and Denmark.", "bakery LOCATED_IN Norway; bakery LOCATED_IN Sweden; bakery LOCATED_IN Denmark"},
		{"an imperative", "Pour in the milk.", ""},
		{"there is", "There is a scanner in the basement.", "scanner LOCATED_IN basement"},
		{"the object of a verb", "The crew repaired the observatory in Chile.", "crew INFLUENCES observatory"},
		{"no place", "Errors in practice are rare.", ""},
		{"from a name", "The certificates from Apple were late.", "certificate DERIVED_FROM Apple"},
		{"against", "Respivax is a vaccine against influenza.", "Respivax INSTANTIATES vaccine; Respivax PREVENTS influenza"},
		{"a name with its class", "The virologist Anna Schmidt retired.", "Anna Schmidt INSTANTIATES virologist"},
		{"an object that goes ahead", "The book Tolkien wrote sold.", ""},
		{"by, behind another phrase", "Immunord was founded in 2009 by Anna Schmidt.", "Anna Schmidt FOUNDED Immunord"},
		{"through", "The letters are sent through the network Borrowly.", "letter USES Borrowly; Borrowly INSTANTIATES network"},
		{"for making", "The ash was used for making glass.", "ash PRODUCES glass"},
	})
	checkExamples(t, corpus.ContentMarkdown, []example{
		{"a fragment", "- Memory leak in the connection pool\n", "memory leak LOCATED_IN connection pool"},
	})
}
