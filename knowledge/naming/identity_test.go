package naming_test

import (
	"testing"
	"unicode/utf8"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// TestIdentityKey has an example of each rule. The pairs in test/eval say what the rules
// do together.
func TestIdentityKey(t *testing.T) {
	for _, c := range []struct{ rule, name, want string }{
		{"case and spaces", "Worker  Lane", "workerlane"},
		{"hyphens and underscores", "worker_Lane-s", "workerlanes"},
		{"plural", "river deltas", "riverdelta"},
		{"irregular plural", "matrices", "matrix"},
		{"plural of an abbreviation", "UAVs", "uav"},
		{"no plural without a vowel", "https", "https"},
		{"no plural in capitals", "HTTPS", "https"},
		{"a noun that another one is without its s", "news", "news"},
		{"a name that another one is without its s", "Robert Williams", "robertwilliams"},
		{"genitive", "Newton’s laws", "newtonlaw"},
		{"British spelling", "organisation of colour", "organizationofcolor"},
		{"diacritics", "Dvořák", "dvorak"},
		{"an accent that counts", "rosé", "rosé"},
		{"small digits", "H₂O", "h2o"},
		{"Greek letters", "β-carotene", "betacarotene"},
		{"signs of a name", "C++", "c++"},
		{"a period before a name", ".NET", ".net"},
		{"periods of an abbreviation", "U.S. Army", "usarmy"},
		{"decimal point", "TLS 1.2", "tls1.2"},
		{"thousands", "1,000", "1000"},
		{"decimal comma", "1,5", "1,5"},
		{"minus", "-5", "-5"},
		{"a flag", "--max-slots", "--maxslot"},
		{"a short flag", "-o", "-o"},
		{"numbers side by side", "Article 1(0)", "article1|0"},
		{"units", "10 mW", "10mW"},
		{"words in capitals", "US", "US"},
		{"proper names", "Polish", "Polish"},
		{"article", "the knowledge graph", "knowledgegraph"},
		{"A in music", "A minor", "aminor"},
		{"title", "Prof. Dr. Max Planck", "maxplanck"},
		{"no title before one word", "Mr. Bennet", "mrbennet"},
		{"no title in the name of a street", "Queen Victoria Street", "queenvictoriastreet"},
		{"legal form", "Acme, Ltd.", "acme"},
		{"saint", "St. Louis", "saintlouis"},
		{"ampersand", "AT&T", "atandt"},
		{"a hyphen that counts", "re-sign", "re-sign"},
		{"nothing but signs", "++", "++"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := naming.IdentityKey(c.name); got != c.want {
				t.Errorf("%q has the key %q, want %q", c.name, got, c.want)
			}
		})
	}
}

func TestSameName(t *testing.T) {
	for _, c := range []struct {
		rule, a, b string
		want       bool
	}{
		{"titles that go together", "Dr. John Smith", "Mr. John Smith", true},
		{"titles that exclude each other", "Mrs. John Smith", "Mr. John Smith", false},
		{"a proper name by its article", "The Economist", "economist", false},
		{"a proper name by its legal form", "Fiddle Inc.", "fiddle", false},
		{"a name and its legal form", "Fiddle Inc.", "Fiddle", true},
		{"another key", "lane", "line", false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := naming.SameName(c.a, c.b); got != c.want || naming.SameName(c.b, c.a) != got {
				t.Errorf("%q and %q: %v, want %v both ways", c.a, c.b, got, c.want)
			}
		})
	}
}

func TestSharesWords(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"directed graph", "undirected graph", true},
		{"pollination", "pollinator", true},
		{"import", "export", true},
		{"car", "automobile", false},
		{"University of Oslo", "Bank of Norway", false},
		{"HTTP", "HTTPS", true},
	} {
		if got := naming.ReadName(c.a).SharesWords(naming.ReadName(c.b)); got != c.want {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestAliasOf(t *testing.T) {
	for _, c := range []struct {
		rule, name, label, term string
		want                    knowledge.AliasKind
	}{
		{"an abbreviation", "NLP", "natural language processing", "NLP", knowledge.Abbreviation},
		{"its plural", "UAV", "unmanned aerial vehicle", "UAVs", knowledge.Abbreviation},
		{"one that no text explains", "NLP", "natural language processing", "nlp toolkit", knowledge.NoAlias},
		{"letters that are not there", "XYZ", "natural language processing", "XYZ", knowledge.NoAlias},
		{"a surname", "Lovelace", "Ada Lovelace", "Lovelace", knowledge.Surname},
		{"a first name", "Ada", "Ada Lovelace", "Ada", knowledge.NoAlias},
		{"a common noun", "lane", "worker lane", "lane", knowledge.NoAlias},
	} {
		t.Run(c.rule, func(t *testing.T) {
			there := knowledge.AliasOf(knowledge.ExtractedConcept{Label: c.name}, c.label, []string{c.term})
			back := knowledge.AliasOf(knowledge.ExtractedConcept{Label: c.label, SearchTerms: []string{c.term}}, c.name, nil)
			if there != c.want || back != c.want {
				t.Errorf("%q of %q: %v, and back %v, want %v", c.name, c.label, there, back, c.want)
			}
		})
	}
}

// TestEmbeddingTextKeepsPeriods: a period in a label does not end it.
func TestEmbeddingTextKeepsPeriods(t *testing.T) {
	c := knowledge.ExtractedConcept{Label: "Mr. Bennet", Description: "He has five daughters.", SearchTerms: []string{"Bennet", "father"}}
	if got, want := c.EmbeddingText(), "Mr. Bennet\nHe has five daughters\nBennet father"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzIdentityKey: any name has a key, and is the same as itself.
func FuzzIdentityKey(f *testing.F) {
	for _, name := range []string{"Mr. Bennet", "C++", "", "\xff", "rosé \u0301", "'s", "a 'B", "1,2,3", "-", "The", "St. É"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if key := naming.IdentityKey(name); !naming.SameName(name, name) || utf8.ValidString(name) && !utf8.ValidString(key) {
			t.Errorf("%q has the key %q", name, key)
		}
	})
}

func BenchmarkIdentityKey(b *testing.B) {
	names := []string{"worker lane", "Prof. Dr. Max Planck", "Besançon", "natural language processing"}
	for b.Loop() {
		for _, n := range names {
			naming.IdentityKey(n)
		}
	}
}

// TestSignedNamesStayApart: signs, and the S of an acronym, make another name.
func TestSignedNamesStayApart(t *testing.T) {
	names := []string{"C", "C++", "C#", "F", "F#", "NET", ".NET", "HTTP", "HTTPS", "TCP", "TCP/IP", "AT&T", "R&D", "R", "Node.js", "Node"}
	for i, a := range names {
		for _, b := range names[i+1:] {
			if naming.SameName(a, b) {
				t.Errorf("%s and %s are one name", a, b)
			}
		}
	}
}
