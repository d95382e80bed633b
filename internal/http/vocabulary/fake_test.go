package vocabulary

import (
	"context"
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
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{Vocabulary: f}))
}

func stats() kappa.GroundingStats { return kappa.NewGroundingStats([]float64{0.1, 0.2, 0.3}, 4, 9) }

func (f *fake) Status(context.Context) (kappa.VocabularyStatus, error) {
	return kappa.DefaultVocabularyLimits().Status(kappa.BuiltinTypes()), nil
}

func (f *fake) Types(context.Context) ([]kappa.VocabularyType, error) {
	edges := 9
	return []kappa.VocabularyType{
		{RelationshipType: kappa.RelationshipType{Name: "CAUSES", Category: "causation", Builtin: true}, Active: true, EdgeCount: &edges},
		{RelationshipType: kappa.RelationshipType{Name: "HELD_BY", Category: kappa.CategoryGenerated}, Active: true},
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
