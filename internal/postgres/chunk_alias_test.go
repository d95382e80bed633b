package postgres_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/work"
)

// byName takes concepts for the same whose names are of one thing, and those that a short
// name stands for: in their document, or an abbreviation in their ontology. It asks for no
// near ones.
type byName struct{}

func (byName) LeastSimilarity() float64 { return 2 }

func (m byName) Certain(d knowledge.ConceptDraft, namesakes []knowledge.Candidate) bool {
	return m.Match([]knowledge.ConceptDraft{d}, [][]knowledge.Candidate{namesakes})[0].Known != 0
}

func (byName) Match(drafts []knowledge.ConceptDraft, candidates [][]knowledge.Candidate) []knowledge.ConceptMatch {
	matches := make([]knowledge.ConceptMatch, len(drafts))
	for i, d := range drafts {
		matches[i].Draft = i
		for _, c := range candidates[i] {
			alias := knowledge.AliasOf(d.ExtractedConcept, c.Label, c.Terms)
			if naming.SameName(d.Label, c.Label) || alias != knowledge.NoAlias && c.InDocument || alias == knowledge.Abbreviation && c.InOntology {
				matches[i] = knowledge.ConceptMatch{Known: c.ID}
			}
		}
	}
	return matches
}

// named is a chunk of a document that names one concept, with other names that the chunk
// explains.
func named(body, ontology string, number int, label string, terms ...string) knowledge.ChunkGraph {
	g := chunkGraph(number, label)
	g.Drafts[0].SearchTerms = terms
	g.Document.ID, g.Document.Ontology = corpus.ContentHash([]byte(body)), ontology
	return g
}

// TestNamesAcrossChunks: what one chunk explains holds in the other chunks of its
// document, and an abbreviation in its ontology.
func TestNamesAcrossChunks(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	claims := map[string]work.Claim{}
	for _, body := range []string{"the article", "another article"} {
		claims[body] = ingestionOf(t, s, workerA, []byte(body), false)
	}
	const nlp, long = "NLP", "natural language processing"
	type mention struct {
		body, ontology, label string
		terms                 []string
	}
	a := func(label string, terms ...string) mention { return mention{"the article", "o", label, terms} }
	other := func(label string, terms ...string) mention { return mention{"another article", "o", label, terms} }
	elsewhere := func(label string, terms ...string) mention { return mention{"another article", "p", label, terms} }
	for name, c := range map[string]struct {
		mentions []mention
		concepts int
	}{
		"an abbreviation after its long form":               {[]mention{a(long, nlp), a(nlp)}, 1},
		"an abbreviation before the chunk that explains it": {[]mention{a(nlp), a(long, nlp)}, 1},
		"its plural":                           {[]mention{a("neural network model", "NNM"), a("NNMs")}, 1},
		"an abbreviation that nobody explains": {[]mention{a(long), a(nlp)}, 2},
		"another document of the ontology":     {[]mention{a(long, nlp), other(nlp)}, 1},
		"another ontology":                     {[]mention{a(long, nlp), elsewhere(nlp)}, 2},
		"a surname in its document":            {[]mention{a("Ada Lovelace", "Lovelace"), a("Lovelace")}, 1},
		"a surname in another document":        {[]mention{a("Ada Lovelace", "Lovelace"), other("Lovelace")}, 2},
		"a surname before the full name":       {[]mention{a("Lovelace"), a("Ada Lovelace", "Lovelace")}, 1},
		"two spellings":                        {[]mention{a("Neural networks"), a("neural network"), a("neural-network")}, 1},
		"two spellings in two ontologies":      {[]mention{a("data base"), elsewhere("Databases")}, 1},
		"languages that signs tell apart":      {[]mention{a("C"), a("C++"), a("C#")}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, conn, `TRUNCATE kg_api.concepts, kg_api.documents CASCADE`)
			for i, m := range c.mentions {
				g := named(m.body, m.ontology, i+1, m.label, m.terms...)
				if i > 0 && m.body != c.mentions[0].body {
					g.Chunk.Number = 1
				}
				run(t, conn, "UPDATE kg_api.jobs SET ontology = $1 WHERE job_id = $2", m.ontology, claims[m.body].JobID)
				if _, err := s.Documents().WriteChunk(t.Context(), claims[m.body], g, byName{}, noCheckpoint); err != nil {
					t.Fatal(err)
				}
			}
			if n := graphRows(t, dsn).concepts; n != c.concepts {
				t.Errorf("%v became %d concepts, want %d", c.mentions, n, c.concepts)
			}
		})
	}
}

// TestIdentityIsNotSearched: how a name is compared is not one of the names of a concept.
func TestIdentityIsNotSearched(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	if _, err := s.Documents().WriteChunk(t.Context(), ingestion(t, s, workerA, false), chunkGraph(1, "Neural networks"), byName{}, noCheckpoint); err != nil {
		t.Fatal(err)
	}
	page, err := s.Graph().SearchPage(t.Context(), "test", 0, 10)
	must(t, err)
	for _, e := range page {
		for _, term := range e.Terms {
			if strings.HasPrefix(term, "=") {
				t.Errorf("%q is searched for %q", e.LabelKey, term)
			}
		}
	}
}
