package kappa_test

import (
	"testing"

	"github.com/kappagraph/kappa"
)

func TestStatus(t *testing.T) {
	t.Run("a terminal status leads nowhere, every other one somewhere", func(t *testing.T) {
		for _, from := range kappa.Statuses() {
			n := 0
			for _, to := range kappa.Statuses() {
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
		for word, want := range map[string]kappa.Status{
			"running": kappa.StatusProcessing, "queued": kappa.StatusApproved, "failed": kappa.StatusFailed,
		} {
			if got, err := kappa.ParseStatus(word); err != nil || got != want {
				t.Errorf("%s is read as %q, %v", word, got, err)
			}
		}
		if _, err := kappa.ParseStatus("done"); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("an unknown word gives %v", err)
		}
	})
}
