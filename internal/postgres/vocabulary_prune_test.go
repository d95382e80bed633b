package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// TestPruneTypes removes what nothing needs: not a built-in type, one that somebody has
// added, one with an edge, one that a merge of types would give its edges back, nor one that
// a merge of concepts would.
func TestPruneTypes(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	_, err := conn.Exec(t.Context(), `
		INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'C', '{}' FROM generate_series(1, 4) n;
		INSERT INTO kg_api.relationship_types (name, category, added_by)
			SELECT w, 'llm_generated', CASE WHEN w = 'BY_HAND' THEN 'ada' END FROM unnest(ARRAY['USED', 'UNUSED', 'ALSO_UNUSED', 'BY_HAND', 'MERGED', 'MERGED_INTO']) w;
		INSERT INTO kg_api.edges (src, dst, type, confidence)
			SELECT 1, 2, t.id, 0.5 FROM kg_api.relationship_types t WHERE t.name IN ('USED', 'MERGED')`)
	must(t, err)
	merge, err := s.Vocabulary().MergeTypes(t.Context(), vocabulary.NewMerge{Source: "MERGED", Target: "MERGED_INTO", By: "ada", Reason: "the same"}, nil, nil)
	must(t, err)
	_, err = conn.Exec(t.Context(), `DELETE FROM kg_api.edges WHERE type = (SELECT id FROM kg_api.relationship_types WHERE name = 'MERGED_INTO')`)
	must(t, err)
	made, err := s.Vocabulary().MergesMade(t.Context(), []int{merge.ID, merge.ID + 1})
	if want := []curation.ExecutedMerge{{MergeID: merge.ID, Source: "MERGED", Target: "MERGED_INTO", Reason: "the same", Edges: 1}}; err != nil || !slices.Equal(made, want) {
		t.Errorf("made %+v, %v", made, err)
	}
	unused := []string{"ALSO_UNUSED", "UNUSED"}
	if names, err := s.Vocabulary().UnusedTypes(t.Context()); err != nil || !slices.Equal(names, unused) {
		t.Errorf("unused %q, %v", names, err)
	}
	if names, err := s.Vocabulary().PruneTypes(t.Context(), nil, nil); err != nil || !slices.Equal(names, unused) {
		t.Errorf("removed %q, %v", names, err)
	}
	if names, err := s.Vocabulary().PruneTypes(t.Context(), nil, nil); err != nil || len(names) != 0 {
		t.Errorf("removed again %q, %v", names, err)
	}
	var left []string
	must(t, conn.QueryRow(t.Context(), `SELECT array_agg(name ORDER BY name) FROM kg_api.relationship_types WHERE NOT is_builtin`).Scan(&left))
	if want := []string{"BY_HAND", "MERGED", "MERGED_INTO", "USED"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}
