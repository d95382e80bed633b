package vocabulary

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a vocabulary of two types, of which one was measured.
type fake struct {
	never  bool // nothing was measured
	asked  string
	size   int
	stored bool
	did    []string // to merges, reviews, settings and jobs
	added  string   // a type
	job    string   // the type of the last job
	failed error    // of the last job
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{Vocabulary: f, Words: f, Merges: f, Reviews: f, Settings: f, Profiles: f, Additions: f, Jobs: f, Ends: f}))
}

func stats() knowledge.GroundingStats {
	return knowledge.NewGroundingStats([]float64{0.1, 0.2, 0.3}, 4, 9)
}

func (f *fake) Status(context.Context) (vocabulary.Status, error) {
	return vocabulary.DefaultLimits().Status(vocabulary.BuiltinTypes()), nil
}

func (f *fake) Types(context.Context) ([]vocabulary.Type, error) {
	edges := 9
	return []vocabulary.Type{
		{RelationshipType: vocabulary.RelationshipType{Name: cmp.Or(f.added, "UNUSED")}},
		{RelationshipType: vocabulary.RelationshipType{Name: "CAUSES", Category: "causation", Builtin: true}, Active: true, EdgeCount: &edges},
		{RelationshipType: vocabulary.RelationshipType{Name: "HELD_BY", Category: vocabulary.CategoryGenerated}, Active: true},
		{RelationshipType: vocabulary.RelationshipType{Name: "WAS_MERGED", Category: vocabulary.CategoryGenerated}},
	}, nil
}

func (f *fake) Statuses(_ context.Context, status string) ([]vocabulary.TypeEpistemic, *vocabulary.Measurement, error) {
	f.asked = status
	if f.never {
		return nil, nil, nil
	}
	return []vocabulary.TypeEpistemic{f.measured().Epistemic(kappa.Time{})}, &vocabulary.Measurement{Epoch: 5, Changes: 1}, nil
}

func (f *fake) StatusOf(ctx context.Context, name string) (vocabulary.TypeEpistemic, *vocabulary.Measurement, error) {
	if name != "CAUSES" {
		return vocabulary.TypeEpistemic{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+name+"' not found")
	}
	list, m, err := f.Statuses(ctx, "")
	return list[0], m, err
}

func (f *fake) Measure(_ context.Context, size int, store bool) (vocabulary.Measured, error) {
	f.size, f.stored = size, store
	return vocabulary.Measured{Types: []vocabulary.MeasuredType{f.measured()}, Stored: 1, ByStatus: map[string]int{knowledge.StatusMixedGrounding: 1}}, nil
}

func (f *fake) measured() vocabulary.MeasuredType {
	return vocabulary.MeasuredType{Name: "CAUSES", Status: knowledge.StatusMixedGrounding, Stats: stats()}
}

func (f *fake) Word(_ context.Context, name string) (vocabulary.TypeWord, []vocabulary.TypeWord, error) {
	word := func(name, category string, builtin bool, e ...float32) vocabulary.TypeWord {
		return vocabulary.TypeWord{RelationshipType: vocabulary.RelationshipType{Name: name, Category: category, Builtin: builtin}, Embedding: e}
	}
	all := []vocabulary.TypeWord{word("CAUSES", "causation", true, 1, 0), word("PART_OF", "composition", true, 0, 1), word("HELPS", "llm_generated", false, 0.95, 0.3122)}
	for _, w := range all {
		if w.Name == name {
			return w, all, nil
		}
	}
	return vocabulary.TypeWord{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+name+"' not found")
}

func (f *fake) MergeTypes(_ context.Context, m vocabulary.NewMerge, _ *work.Claim, _ func(int) work.Checkpoint) (vocabulary.Merge, error) {
	f.did = append(f.did, "merge "+m.Source+" "+m.Target+" by "+m.By)
	return vocabulary.Merge{ID: 3, Source: m.Source, Target: m.Target, Edges: 7, Evidence: 9}, nil
}

func (f *fake) PreviewMerge(_ context.Context, m vocabulary.NewMerge) (vocabulary.Merge, error) {
	return vocabulary.Merge{Source: m.Source, Target: m.Target, Edges: 7}, nil
}

func (f *fake) UndoMerge(_ context.Context, id int) (vocabulary.Merge, error) {
	if id != 3 {
		return vocabulary.Merge{}, kappa.NewError(kappa.CodeNotFound, "Merge not found")
	}
	f.did = append(f.did, "undo")
	return vocabulary.Merge{ID: id, Source: "HELPS"}, nil
}

func (f *fake) Merges(context.Context, int, int) ([]vocabulary.Merge, error) { return nil, nil }

func (f *fake) Reviews(_ context.Context, status string) ([]vocabulary.Review, error) {
	f.asked = status
	return []vocabulary.Review{{Source: "HELPS", Target: "CAUSES", Status: "open"}}, nil
}

func (f *fake) AcceptReview(_ context.Context, m vocabulary.NewMerge) (vocabulary.Merge, error) {
	f.did = append(f.did, "accepted "+m.Source+" "+m.Target+" by "+m.By)
	return vocabulary.Merge{ID: 3}, nil
}

func (f *fake) RejectReview(_ context.Context, source, target, by string) error {
	f.did = append(f.did, "rejected "+source+" "+target+" by "+by)
	return nil
}

func (f *fake) Model() string { return "local" }

func (f *fake) VocabularySettings(context.Context) (vocabulary.Settings, error) {
	return vocabulary.Settings{Min: 30, Max: 90, Emergency: 300, Profile: "aggressive", AutoThreshold: 0.9, ReviewThreshold: 0.75}, nil
}

func (f *fake) ChangeVocabularySettings(ctx context.Context, change func(*vocabulary.Settings) error) (vocabulary.Settings, error) {
	s, _ := f.VocabularySettings(ctx)
	if err := change(&s); err != nil {
		return s, err
	}
	f.did = append(f.did, fmt.Sprintf("set %s %d %g", s.Profile, s.Max, s.AutoThreshold))
	return s, nil
}

func (f *fake) Profiles(context.Context) ([]vocabulary.KnownProfile, error) {
	linear := vocabulary.KnownProfile{Profile: vocabulary.Profile{Name: "linear", X2: 1, Y2: 1}, Builtin: true}
	return []vocabulary.KnownProfile{linear, {Profile: vocabulary.Profile{Name: "mine"}}}, nil
}

func (f *fake) CreateProfile(_ context.Context, n vocabulary.NewProfile) (vocabulary.KnownProfile, error) {
	f.did = append(f.did, "profile "+n.Name)
	return vocabulary.KnownProfile{Profile: n.Profile, Description: n.Description}, nil
}

func (f *fake) DeleteProfile(_ context.Context, name string) error {
	f.did = append(f.did, "delete "+name)
	return nil
}

func (f *fake) AddType(_ context.Context, n vocabulary.NewType) error {
	f.did = append(f.did, "type "+n.Name+" by "+n.By)
	f.added = n.Name
	return nil
}

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.did, f.job = append(f.did, j.Type+" "+strings.TrimSpace(string(j.Data))), j.Type
	return work.Job{ID: apitest.KnownJob, Status: work.StatusApproved}, nil
}

// Await returns the job that was submitted last, with a result.
func (f *fake) Await(_ context.Context, id string) (work.Job, error) {
	result := map[string]string{
		vocabulary.TypeConsolidate: `{"status":"completed","initial_size":9,"final_size":7,"size_reduction":2,"auto_executed_count":1,"pruned_count":1,"pruned_types":["OLD"],"merge_ids":[3],"candidates":[],
			"auto_executed":[{"deprecated":"HELPS","target":"SUPPORTS","similarity":0.95,"reasoning":"similarity 0.95","edges_updated":4,"merge_id":3,"error":null}],"rejected":[]}`,
		vocabulary.TypeRefresh:   `{"status":"completed","refreshed_count":2,"ambiguous_count":1,"skipped_count":33,"failed_count":0,"only_computed":true,"assignments":[{"relationship_type":"HELPS","category":"evidential","confidence":0.8,"scores":{}}]}`,
		vocabulary.TypeEmbedding: `{"status":"completed","target_count":2,"processed_count":2,"skipped_count":33,"failed_count":0}`,
	}[f.job]
	return work.Job{ID: id, Status: work.StatusCompleted, Result: json.RawMessage(result)}, f.failed
}
