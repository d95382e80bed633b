package postgres_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
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

// TestAskOneOntology: where there is one ontology and nothing has changed, concepts and relationships are
// read without asking what they are called there, and are the same.
func TestAskOneOntology(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	labels := make([]string, 70) // more than are read
	for i := range labels {
		labels[i] = fmt.Sprintf("kind %d of lanes", i)
	}
	_, before := passageKeys(t, s)
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, labels...)), withPassages(chunkGraph(2, "claim token", "fence", labels[3])))
	execSQL(t, dsn, "INSERT INTO kg_api.concepts (concept_id, label, term_keys) VALUES ('c_alone', 'nobody', '{nobody}')") // no document shows it: it is one of sixty, and left out
	keys, _ := passageKeys(t, s)
	touched, err := s.Library().PassagesTouched(t.Context(), before, 100)
	must(t, err)
	ask := questions.AskReading{Phrases: []string{"Kind 69 of lanes", "fence", "nobody"}, Restricted: true, Ontologies: []int32{keys[0].Ontology}}
	for _, k := range keys {
		ask.Passages = append(ask.Passages, k.ID)
	}
	slices.Reverse(ask.Passages)
	whole, err := s.Library().ReadAnswer(t.Context(), ask)
	must(t, err)
	ask.Since, ask.OneOntology = &knowledge.PassagesMark{GraphMark: touched.Until, Ontologies: touched.Ontologies}, true
	own, err := s.Library().ReadAnswer(t.Context(), ask)
	must(t, err)
	if len(own.Concepts) != 59 || !own.Concepts[0].Named || len(own.Edges) != 60 || own.Changed {
		t.Errorf("%d concepts, %d relationships, changed: %v", len(own.Concepts), len(own.Edges), own.Changed)
	}
	if !reflect.DeepEqual(own.Concepts, whole.Concepts) || !reflect.DeepEqual(own.Edges, whole.Edges) {
		t.Errorf("got\n%+v\n%+v\nwant\n%+v\n%+v", own.Concepts, own.Edges, whole.Concepts, whole.Edges)
	}
	ask.Ontologies = nil
	if none, err := s.Library().ReadAnswer(t.Context(), ask); err != nil || len(none.Concepts) != 0 {
		t.Errorf("of an ontology that does not exist %+v, %v", none.Concepts, err)
	}
}

// TestAskConceptsOfManyPassages: of a hundred passages those are read whose concepts can be among
// the most that are wanted.
func TestAskConceptsOfManyPassages(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	labels := make([]string, 30)
	for i := range labels {
		labels[i] = fmt.Sprintf("kind %d of lanes", i)
	}
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, labels...)))
	keys, _ := passageKeys(t, s)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	for most, want := range map[int]int{15: 2, 30: 4, 1000: 100} {
		plan := explain(t, conn, db.AskConcepts, false, []int32{}, slices.Repeat([]int32{keys[0].ID}, 100), []string{}, most)
		read := indexScan(plan, "instances_source_idx")
		if read == nil {
			t.Fatalf("the quotes of a passage are not found by its chunk: %v", plan)
		}
		if loops := int(read["Actual Loops"].(float64)); loops != want {
			t.Errorf("for %d concepts %d passages are read, each of which shows %d, want %d", most, loops, len(labels), want)
		}
	}
}

// indexScan returns the part of a plan that reads an index.
func indexScan(plan map[string]any, index string) map[string]any {
	if plan["Index Name"] == index {
		return plan
	}
	parts, _ := plan["Plans"].([]any)
	for _, p := range parts {
		if part, ok := p.(map[string]any); ok {
			if found := indexScan(part, index); found != nil {
				return found
			}
		}
	}
	return nil
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
