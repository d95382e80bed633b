package postgres_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/work"
)

// reportOf is what a client keeps.
func reportOf(owner int, change ...func(*artifacts.NewArtifact)) artifacts.NewArtifact {
	a := artifacts.NewArtifact{
		Label: artifacts.Label{
			Type: "report", Representation: "cli", Name: new("a name"), Parameters: []byte(`{"b": 1e-400, "a": "\u0000"}`), ConceptIDs: []string{"a_1"},
		},
		Payload: []byte(`{"z": 1.0,  "a": [1e999]}`), OwnerID: owner,
	}
	for _, c := range change {
		c(&a)
	}
	return a
}

func TestArtifacts(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	store := s.Artifacts()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	exec := func(sql string) {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
	exec(`INSERT INTO kg_api.users (id, username, password_hash, role) OVERRIDING SYSTEM VALUE VALUES (2001, 'eve', 'x', 'contributor')`)
	exec(`UPDATE kg_api.graph_epoch SET epoch = 5`)

	kept, err := store.AddArtifact(t.Context(), reportOf(2001))
	must(t, err)
	t.Run("is kept as it came, of the graph as it was", func(t *testing.T) {
		got, err := store.Artifact(t.Context(), kept.ID)
		must(t, err)
		if got.GraphEpoch != 5 || !got.Fresh || got.Owner() != 2001 || *got.Name != "a name" || string(got.Parameters) != `{"b": 1e-400, "a": "\u0000"}` ||
			got.ConceptIDs[0] != "a_1" || got.Metadata != nil || got.ExpiresAt != nil || !got.HasInline || got.CreatedAt.IsZero() {
			t.Errorf("got %+v", got)
		}
		payload, err := store.ArtifactPayload(t.Context(), kept.ID)
		if err != nil || string(payload) != `{"z": 1.0,  "a": [1e999]}` {
			t.Errorf("got %s, %v", payload, err)
		}
	})
	t.Run("is not fresh once the graph has changed", func(t *testing.T) {
		exec(`UPDATE kg_api.graph_epoch SET epoch = 6`)
		if got, err := store.Artifact(t.Context(), kept.ID); err != nil || got.Fresh {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("of a graph of before is not fresh, and of one that is not there yet is refused", func(t *testing.T) {
		old, err := store.AddArtifact(t.Context(), reportOf(2001, func(a *artifacts.NewArtifact) { a.GraphEpoch = 5 }))
		if err != nil || old.Fresh || old.GraphEpoch != 5 {
			t.Errorf("got %+v, %v", old, err)
		}
		must(t, store.RemoveArtifact(t.Context(), old.ID))
		_, err = store.AddArtifact(t.Context(), reportOf(2001, func(a *artifacts.NewArtifact) { a.GraphEpoch = 7 }))
		if kappa.ErrorCode(err) != kappa.CodeInvalid || kappa.ErrorMessage(err) != "graph_epoch: must be at most the epoch of the graph, got 7" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("is gone when it has expired, and purged then", func(t *testing.T) {
		at := kappa.At(time.Now().Add(-time.Minute))
		if _, err := store.AddArtifact(t.Context(), reportOf(2001, func(a *artifacts.NewArtifact) { a.ExpiresAt = &at })); kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("got %v", err)
		}
		must(t, store.PurgeArtifacts(t.Context()))
		var left int
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.artifacts").Scan(&left))
		if left != 1 {
			t.Errorf("%d are left, want 1", left)
		}
	})
	t.Run("is listed by type, representation, ontology and owner, newest first", func(t *testing.T) {
		second, err := store.AddArtifact(t.Context(), reportOf(access.SystemUserID, func(a *artifacts.NewArtifact) { a.Type, a.Ontology = "projection", new("o") }))
		must(t, err)
		for name, c := range map[string]struct {
			filter artifacts.Filter
			want   []int
		}{
			"all":                      {artifacts.Filter{}, []int{second.ID, kept.ID}},
			"of a type":                {artifacts.Filter{Type: new("report")}, []int{kept.ID}},
			"of an owner":              {artifacts.Filter{OwnerID: new(access.SystemUserID)}, []int{second.ID}},
			"of an ontology":           {artifacts.Filter{Ontology: new("o")}, []int{second.ID}},
			"of another use":           {artifacts.Filter{Representation: new("report_workspace")}, nil},
			"granted one by one":       {artifacts.Filter{Visible: &access.VisibleRows{RowSet: access.RowSet{IDs: []string{strconv.Itoa(second.ID), "999"}}}}, []int{second.ID}},
			"granted, and one's own":   {artifacts.Filter{Visible: &access.VisibleRows{Owner: 2001, RowSet: access.RowSet{IDs: []string{strconv.Itoa(second.ID)}}}}, []int{second.ID, kept.ID}},
			"granted by what they are": {artifacts.Filter{Visible: &access.VisibleRows{RowSet: access.RowSet{Filters: []access.RowFilter{{"ontology": "o"}}}}}, []int{second.ID}},
			"granted by what none is":  {artifacts.Filter{Visible: &access.VisibleRows{RowSet: access.RowSet{Filters: []access.RowFilter{{"ontology": "o", "artifact_type": "report"}}}}}, nil},
			"granted nothing":          {artifacts.Filter{Visible: &access.VisibleRows{}}, nil},
			"the second of two":        {artifacts.Filter{Offset: 1}, []int{kept.ID}},
		} {
			c.filter.Limit = 10
			list, total, err := store.ListArtifacts(t.Context(), c.filter)
			must(t, err)
			if len(list) != len(c.want) || total != len(c.want)+c.filter.Offset {
				t.Errorf("%s: got %+v of %d, want %v", name, list, total, c.want)
				continue
			}
			for i, id := range c.want {
				if list[i].ID != id {
					t.Errorf("%s: got %+v, want %v", name, list, c.want)
				}
			}
		}
	})
	t.Run("outlives its owner's account", func(t *testing.T) {
		exec(`DELETE FROM kg_api.users WHERE id = 2001`)
		if got, err := store.Artifact(t.Context(), kept.ID); err != nil || got.OwnerID != nil || got.Owner() != 0 {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("is deleted once", func(t *testing.T) {
		must(t, store.RemoveArtifact(t.Context(), kept.ID))
		for _, err := range []error{store.RemoveArtifact(t.Context(), kept.ID), errorOf(store.Artifact(t.Context(), kept.ID)), errorOf(store.ArtifactPayload(t.Context(), kept.ID))} {
			if kappa.ErrorCode(err) != kappa.CodeNotFound {
				t.Errorf("got %v", err)
			}
		}
	})
}

func errorOf[T any](_ T, err error) error { return err }

// TestQ01_ArtifactOfAJob keeps the artifact of a job under a claim that becomes stale.
func TestQ01_ArtifactOfAJob(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA, workerB)
	job := submit(t, s, "polarity")
	first := claim(t, s, workerA, 1)[0]
	save := func(c work.Claim, epoch int64) (int, error) {
		return s.Artifacts().SaveArtifact(t.Context(), c, reportOf(0, func(a *artifacts.NewArtifact) { a.GraphEpoch = epoch }))
	}
	id, err := save(first, 1)
	must(t, err)
	if again, err := save(first, 1); err != nil || again != id {
		t.Errorf("when the answer was lost: %d, %v, want %d", again, err, id)
	}
	takeBack(t, s, dsn, workerA)
	second := claim(t, s, workerB, 1)[0]
	if _, err := save(first, 9); !errors.Is(err, kappa.ErrStale) {
		t.Errorf("a stale claim: %v, want ErrStale", err)
	}
	if again, err := save(second, 2); err != nil || again != id {
		t.Errorf("the next attempt: %d, %v, want %d", again, err, id)
	}
	got, err := s.Artifacts().Artifact(t.Context(), id)
	if err != nil || got.GraphEpoch != 2 || got.Owner() != job.UserID {
		t.Errorf("got %+v, %v", got, err)
	}
}
