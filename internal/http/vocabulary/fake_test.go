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

func stats() kappa.GroundingStats { return kappa.NewGroundingStats([]float64{0.1, 0.2, 0.3}, 4, 9) }

func (f *fake) Status(context.Context) (kappa.VocabularyStatus, error) {
	return kappa.DefaultVocabularyLimits().Status(kappa.BuiltinTypes()), nil
}

func (f *fake) Types(context.Context) ([]kappa.VocabularyType, error) {
	edges := 9
	return []kappa.VocabularyType{
		{RelationshipType: kappa.RelationshipType{Name: cmp.Or(f.added, "UNUSED")}},
		{RelationshipType: kappa.RelationshipType{Name: "CAUSES", Category: "causation", Builtin: true}, Active: true, EdgeCount: &edges},
		{RelationshipType: kappa.RelationshipType{Name: "HELD_BY", Category: kappa.CategoryGenerated}, Active: true},
		{RelationshipType: kappa.RelationshipType{Name: "WAS_MERGED", Category: kappa.CategoryGenerated}},
	}, nil
}

func (f *fake) Statuses(_ context.Context, status string) ([]kappa.TypeEpistemic, *kappa.VocabularyMeasurement, error) {
	f.asked = status
	if f.never {
		return nil, nil, nil
	}
	return []kappa.TypeEpistemic{f.measured().Epistemic(kappa.Time{})}, &kappa.VocabularyMeasurement{Epoch: 5, Changes: 1}, nil
}

func (f *fake) StatusOf(ctx context.Context, name string) (kappa.TypeEpistemic, *kappa.VocabularyMeasurement, error) {
	if name != "CAUSES" {
		return kappa.TypeEpistemic{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+name+"' not found")
	}
	list, m, err := f.Statuses(ctx, "")
	return list[0], m, err
}

func (f *fake) Measure(_ context.Context, size int, store bool) (kappa.MeasuredVocabulary, error) {
	f.size, f.stored = size, store
	return kappa.MeasuredVocabulary{Types: []kappa.MeasuredType{f.measured()}, Stored: 1, ByStatus: map[string]int{kappa.StatusMixedGrounding: 1}}, nil
}

func (f *fake) measured() kappa.MeasuredType {
	return kappa.MeasuredType{Name: "CAUSES", Status: kappa.StatusMixedGrounding, Stats: stats()}
}

func (f *fake) Word(_ context.Context, name string) (kappa.TypeWord, []kappa.TypeWord, error) {
	word := func(name, category string, builtin bool, e ...float32) kappa.TypeWord {
		return kappa.TypeWord{RelationshipType: kappa.RelationshipType{Name: name, Category: category, Builtin: builtin}, Embedding: e}
	}
	all := []kappa.TypeWord{word("CAUSES", "causation", true, 1, 0), word("PART_OF", "composition", true, 0, 1), word("HELPS", "llm_generated", false, 0.95, 0.3122)}
	for _, w := range all {
		if w.Name == name {
			return w, all, nil
		}
	}
	return kappa.TypeWord{}, nil, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+name+"' not found")
}

func (f *fake) MergeTypes(_ context.Context, m kappa.NewMerge, _ *kappa.Claim, _ func(int) kappa.Checkpoint) (kappa.VocabularyMerge, error) {
	f.did = append(f.did, "merge "+m.Source+" "+m.Target+" by "+m.By)
	return kappa.VocabularyMerge{ID: 3, Source: m.Source, Target: m.Target, Edges: 7, Evidence: 9}, nil
}

func (f *fake) PreviewMerge(_ context.Context, m kappa.NewMerge) (kappa.VocabularyMerge, error) {
	return kappa.VocabularyMerge{Source: m.Source, Target: m.Target, Edges: 7}, nil
}

func (f *fake) UndoMerge(_ context.Context, id int) (kappa.VocabularyMerge, error) {
	if id != 3 {
		return kappa.VocabularyMerge{}, kappa.NewError(kappa.CodeNotFound, "Merge not found")
	}
	f.did = append(f.did, "undo")
	return kappa.VocabularyMerge{ID: id, Source: "HELPS"}, nil
}

func (f *fake) Merges(context.Context, int, int) ([]kappa.VocabularyMerge, error) { return nil, nil }

func (f *fake) Reviews(_ context.Context, status string) ([]kappa.VocabularyReview, error) {
	f.asked = status
	return []kappa.VocabularyReview{{Source: "HELPS", Target: "CAUSES", Status: "open"}}, nil
}

func (f *fake) AcceptReview(_ context.Context, m kappa.NewMerge) (kappa.VocabularyMerge, error) {
	f.did = append(f.did, "accepted "+m.Source+" "+m.Target+" by "+m.By)
	return kappa.VocabularyMerge{ID: 3}, nil
}

func (f *fake) RejectReview(_ context.Context, source, target, by string) error {
	f.did = append(f.did, "rejected "+source+" "+target+" by "+by)
	return nil
}

func (f *fake) Model() string { return "local" }

func (f *fake) VocabularySettings(context.Context) (kappa.VocabularySettings, error) {
	return kappa.VocabularySettings{Min: 30, Max: 90, Emergency: 300, Profile: "aggressive", AutoThreshold: 0.9, ReviewThreshold: 0.75}, nil
}

func (f *fake) ChangeVocabularySettings(ctx context.Context, change func(*kappa.VocabularySettings) error) (kappa.VocabularySettings, error) {
	s, _ := f.VocabularySettings(ctx)
	if err := change(&s); err != nil {
		return s, err
	}
	f.did = append(f.did, fmt.Sprintf("set %s %d %g", s.Profile, s.Max, s.AutoThreshold))
	return s, nil
}

func (f *fake) Profiles(context.Context) ([]kappa.KnownProfile, error) {
	linear := kappa.KnownProfile{VocabularyProfile: kappa.VocabularyProfile{Name: "linear", X2: 1, Y2: 1}, Builtin: true}
	return []kappa.KnownProfile{linear, {VocabularyProfile: kappa.VocabularyProfile{Name: "mine"}}}, nil
}

func (f *fake) CreateProfile(_ context.Context, n kappa.NewProfile) (kappa.KnownProfile, error) {
	f.did = append(f.did, "profile "+n.Name)
	return kappa.KnownProfile{VocabularyProfile: n.VocabularyProfile, Description: n.Description}, nil
}

func (f *fake) DeleteProfile(_ context.Context, name string) error {
	f.did = append(f.did, "delete "+name)
	return nil
}

func (f *fake) AddType(_ context.Context, n kappa.NewVocabularyType) error {
	f.did = append(f.did, "type "+n.Name+" by "+n.By)
	f.added = n.Name
	return nil
}

func (f *fake) SubmitJob(_ context.Context, j kappa.NewJob) (kappa.Job, error) {
	f.did, f.job = append(f.did, j.Type+" "+strings.TrimSpace(string(j.Data))), j.Type
	return kappa.Job{ID: apitest.KnownJob, Status: kappa.StatusApproved}, nil
}

// Await returns the job that was submitted last, with a result.
func (f *fake) Await(_ context.Context, id string) (kappa.Job, error) {
	result := map[string]string{
		kappa.TypeVocabConsolidate: `{"status":"completed","initial_size":9,"final_size":7,"size_reduction":2,"auto_executed_count":1,"pruned_count":1,"pruned_types":["OLD"],"merge_ids":[3],"candidates":[],
			"auto_executed":[{"deprecated":"HELPS","target":"SUPPORTS","similarity":0.95,"reasoning":"similarity 0.95","edges_updated":4,"merge_id":3,"error":null}],"rejected":[]}`,
		kappa.TypeVocabRefresh:   `{"status":"completed","refreshed_count":2,"ambiguous_count":1,"skipped_count":33,"failed_count":0,"only_computed":true,"assignments":[{"relationship_type":"HELPS","category":"evidential","confidence":0.8,"scores":{}}]}`,
		kappa.TypeVocabEmbedding: `{"status":"completed","target_count":2,"processed_count":2,"skipped_count":33,"failed_count":0}`,
	}[f.job]
	return kappa.Job{ID: id, Status: kappa.StatusCompleted, Result: json.RawMessage(result)}, f.failed
}
