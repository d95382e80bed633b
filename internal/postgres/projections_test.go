package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/knowledge/projection"
)

// TestProjectionsLookedAt: a schedule refreshes what somebody has looked at within a week,
// as it was made, and is not due because of what nobody looks at.
func TestProjectionsLookedAt(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	execSQL(t, dsn, `INSERT INTO kg_api.ontologies (name) VALUES ('seen')`)
	execSQL(t, dsn, `INSERT INTO kg_api.projections (ontology_id, source, changelist, graph_epoch, items, parameters, job_id, body, computed_at, looked_at) VALUES
		((SELECT id FROM kg_api.ontologies WHERE name = 'seen'), 'sources', 'cl_1', 1, 3, '{"n_components": 2, "force": true}', 'job_1', '{}', now() - interval '20 days 12 hours', now() - interval '6 days'),
		(NULL, 'concepts', 'cl_2', 1, 3, '{"n_components": 3}', 'job_2', '{}', now() - interval '30 days', now() - interval '8 days')`)
	execSQL(t, dsn, `INSERT INTO kg_api.concepts (concept_id, label, term_keys, created_at) SELECT 'c_' || n, 'Concept ' || n, '{}', now() - n * interval '1 day' FROM generate_series(16, 27) n`)
	looked := func() (names []string) {
		t.Helper()
		list, err := s.Projections().ProjectionsLookedAt(t.Context())
		must(t, err)
		for _, q := range list {
			if q.Force {
				t.Errorf("%s is forced", q.Ontology)
			}
			names = append(names, q.Ontology+" "+q.Source)
		}
		return names
	}
	added := func() int {
		t.Helper()
		f, err := s.Maintenance().MaintenanceFigures(t.Context(), "m")
		must(t, err)
		return f.Unprojected
	}
	if got, n := looked(), added(); !slices.Equal(got, []string{"seen sources"}) || n != 5 {
		t.Errorf("looked at are %q, which lack %d concepts, want one, and the 5 of the last 20 days", got, n)
	}
	must(t, s.Projections().LookedAtProjection(t.Context(), projection.AllOntologies, projection.ProjectConcepts))
	if got, n := looked(), added(); !slices.Equal(got, []string{projection.AllOntologies + " concepts", "seen sources"}) || n != 12 {
		t.Errorf("looked at are %q, which lack %d concepts, want both, and all 12", got, n)
	}
	execSQL(t, dsn, `UPDATE kg_api.projections SET looked_at = now() - interval '8 days'`)
	if got, n := looked(), added(); len(got) != 0 || n != 0 {
		t.Errorf("nobody looks, and looked at are %q, which lack %d concepts", got, n)
	}
}

// TestProjectionsKeepNothingWaiting: no other job type shares the lane of projections.
func TestProjectionsKeepNothingWaiting(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	lanes, err := s.Lanes().Lanes(t.Context())
	must(t, err)
	found := false
	for _, l := range lanes {
		if slices.Contains(l.JobTypes, projection.TypeProjection) {
			found = true
			if l.Name != "pictures" || len(l.JobTypes) != 1 {
				t.Errorf("projections are in the lane %s with %q", l.Name, l.JobTypes)
			}
		}
	}
	if !found {
		t.Error("no lane claims projections")
	}
}
