package work_test

import (
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestStatus(t *testing.T) {
	t.Run("a terminal status leads nowhere, every other one somewhere", func(t *testing.T) {
		for _, from := range work.Statuses() {
			n := 0
			for _, to := range work.Statuses() {
				if from.CanBecome(to) {
					n++
				}
			}
			if from.Terminal() != (n == 0) {
				t.Errorf("%s is terminal %v, and leads to %d others", from, from.Terminal(), n)
			}
		}
	})
	t.Run("filters accept the older words, answers never use them", func(t *testing.T) {
		for word, want := range map[string]work.Status{
			"running": work.StatusProcessing, "queued": work.StatusApproved, "failed": work.StatusFailed,
		} {
			if got, err := work.ParseStatus(word); err != nil || got != want {
				t.Errorf("%s is read as %q, %v", word, got, err)
			}
		}
		if _, err := work.ParseStatus("done"); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("an unknown word gives %v", err)
		}
	})
}
