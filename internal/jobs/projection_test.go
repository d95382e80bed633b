package jobs

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/projection"
	"github.com/kappagraph/kappa/work"
)

// pictures are projections that are kept, each with the changelist of what it was made of.
type pictures struct {
	axes

	lookedAt []projection.Query
	kept     map[string]string
	made     []string
}

func (p *pictures) Changelist(_ context.Context, q projection.Query) (current, kept string, err error) {
	if q.Ontology == "gone" {
		return "", "", kappa.NewError(kappa.CodeNotFound, "Ontology 'gone' does not exist")
	}
	return "cl_2", p.kept[q.Ontology], nil
}

func (p *pictures) SaveProjection(_ context.Context, _ work.Claim, q projection.Query, _ projection.Projection) error {
	p.made = append(p.made, q.Ontology)
	return nil
}

func (p *pictures) ProjectionsLookedAt(context.Context) ([]projection.Query, error) {
	return p.lookedAt, nil
}

func (p *pictures) compute(_ context.Context, q projection.Query, report func(stage string, percent int) error) (projection.Projection, error) {
	if q.Ontology == "tiny" {
		return projection.Projection{}, kappa.NewError(kappa.CodeInvalid, "A projection needs at least 3 items")
	}
	return projection.Projection{ChangelistID: "cl_2"}, report("placing", 50)
}

// TestProjectionRefresh: those that are looked at and stale are made again; one that is gone
// or nearly empty keeps no other from it.
func TestProjectionRefresh(t *testing.T) {
	p := &pictures{kept: map[string]string{"fresh": "cl_2", "stale": "cl_1", "last": "cl_1"}}
	for _, name := range []string{"gone", "fresh", "stale", "tiny", "last"} {
		p.lookedAt = append(p.lookedAt, projection.NewQuery(name))
	}
	job := NewProjection(p.compute, p, p, p, once)
	raw, err := job.Handler(t.Context(), work.Claim{JobID: "job_000000000001", Data: json.RawMessage(`{"only_looked_at": true}`)})
	want := `{"success":true,"status":"computed","looked_at":5,"computed":2,"skipped":3}`
	if err != nil || string(raw) != want || !slices.Equal(p.made, []string{"stale", "last"}) {
		t.Errorf("%s, %v, made %q; want %s", raw, err, p.made, want)
	}
	p.lookedAt, p.made = nil, nil
	raw, err = job.Handler(t.Context(), work.Claim{JobID: "job_000000000001", Data: json.RawMessage(`{"only_looked_at": true}`)})
	if err != nil || string(raw) != `{"success":true,"status":"skipped","looked_at":0,"computed":0,"skipped":0}` || len(p.made) != 0 {
		t.Errorf("nobody looks: %s, %v, made %q", raw, err, p.made)
	}
}
