package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// TestPlaceDocument moves a document: the list of files says so, its passages are told of as
// touched, and nothing else changes.
func TestPlaceDocument(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	writePassages(t, s, ingestion(t, s, workerA, false), withPassages(chunkGraph(1, "worker lane", "claim token")))
	keys, mark := passageKeys(t, s)
	var p corpus.Placement
	var owner int
	must(t, conn.QueryRow(t.Context(), "SELECT d.document_id, o.name, coalesce(d.user_id, 0) FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id").Scan(&p.DocumentID, &p.Ontology, &owner))
	before := content(t, conn)
	p.SourcePath, p.Filename, p.Owner = "lib/new.md", "new.md", owner
	must(t, s.Documents().PlaceDocument(t.Context(), p))
	files, _, err := s.Ontologies().OntologyFiles(t.Context(), ontologies.FilesQuery{Ontology: p.Ontology})
	must(t, err)
	if len(files) != 1 || files[0].FilePath != "lib/new.md" || files[0].DocumentID != p.DocumentID {
		t.Errorf("files %+v", files)
	}
	touched, err := s.Library().PassagesTouched(t.Context(), mark, 100)
	must(t, err)
	if !slices.Equal(touched.Sources, []int32{keys[0].Source}) {
		t.Errorf("touched %v, want %d", touched.Sources, keys[0].Source)
	}
	if after := content(t, conn); after != before || before == "" {
		t.Errorf("the graph is\n%s\nand was\n%s", after, before)
	}

	refusals := map[string]struct {
		change func(*corpus.Placement)
		code   kappa.Code
	}{
		"an unknown document":        {func(p *corpus.Placement) { p.DocumentID = "sha256:0" }, kappa.CodeNotFound},
		"an unknown ontology":        {func(p *corpus.Placement) { p.Ontology = "elsewhere" }, kappa.CodeNotFound},
		"a document of another user": {func(p *corpus.Placement) { p.Owner = owner + 1 }, kappa.CodeForbidden},
		"an id that no row can have": {func(p *corpus.Placement) { p.DocumentID = "a\x00" }, kappa.CodeNotFound},
	}
	for name, r := range refusals {
		other := p
		other.SourcePath = "lib/other.md"
		r.change(&other)
		if err := s.Documents().PlaceDocument(t.Context(), other); kappa.ErrorCode(err) != r.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err = s.Ontologies().SetLifecycle(t.Context(), p.Ontology, ontologies.LifecycleFrozen)
	must(t, err)
	if err := s.Documents().PlaceDocument(t.Context(), p); kappa.ErrorCode(err) != kappa.CodeForbidden || !strings.Contains(err.Error(), "frozen") {
		t.Errorf("a frozen ontology: %v", err)
	}
	var path string
	must(t, conn.QueryRow(t.Context(), "SELECT source_path FROM kg_api.documents").Scan(&path))
	if path != "lib/new.md" {
		t.Errorf("a refusal has moved it to %s", path)
	}
}
