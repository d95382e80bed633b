package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// byOwnName is byName, and leaves out what only other ontologies know.
type byOwnName struct{ byName }

func (m byOwnName) Certain(d knowledge.ConceptDraft, namesakes []knowledge.Candidate) bool {
	return m.byName.Certain(d, ownOf(namesakes))
}

func (m byOwnName) Match(drafts []knowledge.ConceptDraft, candidates [][]knowledge.Candidate) []knowledge.ConceptMatch {
	own := make([][]knowledge.Candidate, len(candidates))
	for i, list := range candidates {
		own[i] = ownOf(list)
	}
	return m.byName.Match(drafts, own)
}

func ownOf(list []knowledge.Candidate) []knowledge.Candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c knowledge.Candidate) bool { return c.Elsewhere })
}

// TestHomonyms: a name that another ontology uses for something else makes a concept of its
// own, unless something that stands around it belongs to that as well.
func TestHomonyms(t *testing.T) {
	t.Parallel()
	one := newCurated(t)
	index := []said{{"GIN", "USES", "posting list", 1}, {"GIN", "PART_OF", "PostgreSQL", 1}}
	drink := []said{{"gin", "CONSUMES", "juniper", 1}}
	for name, c := range map[string]struct {
		documents map[string][]said // by ontology; "db" comes first
		again     []said            // of "bar"
		concepts  int               // called gin
	}{
		"the index and the drink":             {map[string][]said{"db": index, "bar": drink}, nil, 2},
		"the drink again":                     {map[string][]said{"db": index, "bar": drink}, []said{{"gin", "PART_OF", "a cocktail", 1}}, 2},
		"the index in another ontology":       {map[string][]said{"db": index, "bar": {{"GIN", "EXTENDS", "PostgreSQL", 1}}}, nil, 1},
		"the index beside another neighbour":  {map[string][]said{"db": index, "bar": {{"GIN", "EXTENDS", "B-tree", 1}, {"posting list", "PART_OF", "B-tree", 1}}}, nil, 1},
		"another document of the ontology":    {map[string][]said{"db": index, "bar": {}}, []said{}, 1},
		"the drink, where both are spoken of": {map[string][]said{"db": index, "bar": drink}, []said{{"gin", "PART_OF", "PostgreSQL", 1}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			g := one.anew(t)
			g.matcher = byOwnName{}
			for _, ontology := range []string{"db", "bar"} {
				if states := c.documents[ontology]; len(states) > 0 {
					g.document(ontology, states...)
				}
			}
			if c.again != nil {
				g.document(map[bool]string{true: "bar", false: "db"}[len(c.again) > 0], append(c.again, said{"gin", "USES", "something else", 1})...)
			}
			got := lines(t, g.conn, `SELECT label FROM kg_api.concepts WHERE lower(label) = 'gin' ORDER BY id`)
			if len(got) != c.concepts {
				t.Errorf("%q, want %d", got, c.concepts)
			}
			g.sound("homonyms")
		})
	}
}

// TestNotesLeaveOtherOntologiesAlone: who makes a concept in one ontology changes none that
// only another one shows.
func TestNotesLeaveOtherOntologiesAlone(t *testing.T) {
	t.Parallel()
	g := newCurated(t)
	g.document("db", said{"GIN", "PART_OF", "PostgreSQL", 1})
	was := lines(t, g.conn, `SELECT label || description || search_terms::text FROM kg_api.concepts ORDER BY id`)
	for _, matcher := range []knowledge.Matcher{byOwnName{}, byName{}} { // one of which finds the other one
		n := knowledge.NoteGraph{Note: knowledge.Note{Ontology: "bar", UserID: access.SystemUserID, Provenance: "human"}, Body: []byte("a note")}
		n.Graph = chunkGraph(1, "gin")
		n.Graph.Drafts[0].Description = "A drink."
		n.Graph.Document.ID, n.Graph.Document.Ontology = corpus.ContentHash(n.Body), "bar"
		_, err := g.Notes().WriteNote(t.Context(), n, matcher, func() error { return nil })
		must(t, err)
		is := lines(t, g.conn, `SELECT label || description || search_terms::text FROM kg_api.concepts ORDER BY id LIMIT 2`)
		if !slices.Equal(is, was) {
			t.Errorf("%T: the concepts of the other ontology are %q and were %q", matcher, is, was)
		}
	}
}
