package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestAskPages: where there is one ontology, a question to it touches hardly more pages than one to
// all: how its concepts are called there is not asked of the chunks. Where there are two it is.
func TestAskPages(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	labels := make([]string, 40)
	for i := range labels {
		labels[i] = fmt.Sprintf("kind %d of lanes", i)
	}
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, labels...)))
	keys, _ := passageKeys(t, s)
	var passages []int32
	for _, k := range keys {
		passages = append(passages, k.ID)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	pages := func(restricted bool) [2]int {
		t.Helper()
		return [2]int{
			pagesIn(explain(t, conn, db.AskConcepts, restricted, []int32{keys[0].Ontology}, passages, []string{}, 60)),
			pagesIn(explain(t, conn, db.AskEdges, restricted, "RELATED_TO", 60, passages)),
		}
	}
	all, one := pages(false), pages(true)
	execSQL(t, dsn, "INSERT INTO kg_api.ontologies (name) VALUES ('other')")
	two := pages(true)
	t.Logf("pages of concepts and of relationships, of all ontologies %v, of the only one %v, of one of two %v", all, one, two)
	for i := range all {
		if one[i] > all[i]+len(labels) || two[i] < one[i]+3*len(labels) {
			t.Errorf("of all ontologies %v, of the only one %v, of one of two %v: only the last looks up how %d concepts are called", all, one, two, len(labels))
		}
	}
	ask := questions.AskReading{Passages: passages, Restricted: true, Ontologies: []int32{keys[0].Ontology}}
	read, err := s.Library().ReadAnswer(t.Context(), ask)
	must(t, err)
	if len(read.Concepts) != len(labels) || len(read.Edges) != len(labels)-1 {
		t.Errorf("%d concepts and %d relationships", len(read.Concepts), len(read.Edges))
	}
}

// TestAskNames: a concept is called as in the ontology that is asked, by itself and at the end of
// a relationship; where no other ontology could have named it, by its own name.
func TestAskNames(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, "worker lane", "claim token")))
	keys, _ := passageKeys(t, s)
	ask := questions.AskReading{Passages: []int32{keys[0].ID, keys[1].ID}, Phrases: []string{"worker lane"}, Restricted: true, Ontologies: []int32{keys[0].Ontology}}
	wanted := func(when, want string) {
		t.Helper()
		read, err := s.Library().ReadAnswer(t.Context(), ask)
		must(t, err)
		var names []string
		for _, c := range read.Concepts {
			names = append(names, fmt.Sprintf("%s (%s) %v", c.Label, c.Description, c.Names))
		}
		for _, e := range read.Edges {
			names = append(names, e.FromLabel+" > "+e.ToLabel)
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s: %s, want %s", when, got, want)
		}
	}
	execSQL(t, dsn, "UPDATE kg_api.concepts SET label = 'secret name', description = 'secret words' WHERE label = 'claim token'")
	wanted("the only ontology", "worker lane () [worker lane], secret name (secret words) [], worker lane > secret name")
	execSQL(t, dsn, `
		INSERT INTO kg_api.ontologies (name) VALUES ('other');
		INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id)
			SELECT d.document_id, o.id, d.filename, d.content_type, d.job_id FROM kg_api.documents d, kg_api.ontologies o WHERE o.name = 'other';
		INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
			SELECT 'other', max(d.id), 1, 'x', 0, 1, 0, 1, 1, 'end', 'job_1' FROM kg_api.documents d;
		INSERT INTO kg_api.mentions (concept, source, place, label, description, search_terms)
			SELECT c.id, s.id, 1, c.label, c.description, '{}' FROM kg_api.concepts c, kg_api.sources s WHERE c.label = 'secret name' AND s.source_id = 'other'`)
	wanted("one of two, of which the other names it", "worker lane () [worker lane], claim token () [], worker lane > claim token")
}
