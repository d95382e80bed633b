package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

func TestRemeasurement(t *testing.T) {
	work := func(ctx context.Context, m *memory, measure Measuring, data string) (string, error) {
		raw, err := NewRemeasurement(measure, m, once).Handler(ctx, work.Claim{JobID: "job_000000000001", Data: json.RawMessage(data)})
		return string(raw), err
	}
	var size int
	var stored bool
	measure := func(_ context.Context, n int, store bool, each func(done, of int) error) (vocabulary.Measured, error) {
		size, stored = n, store
		for done := range 4 {
			if err := each(done, 3); err != nil {
				stored = false
				return vocabulary.Measured{}, err
			}
		}
		return vocabulary.Measured{Types: make([]vocabulary.MeasuredType, 3), Stored: 3, ByStatus: map[string]int{knowledge.StatusHistorical: 3}}, nil
	}
	t.Run("measures, yields, says what it found", func(t *testing.T) {
		m := &memory{}
		got, err := work(t.Context(), m, measure, `{"sample_size":7,"store":false}`)
		want := `{"success":true,"total_types":3,"stored":3,"classifications":{"HISTORICAL":3},"sample_size":7}`
		if err != nil || got != want || size != 7 || stored || len(m.stored) != 4 || m.stored[1].Progress.ItemsProcessed != 1 || !m.stored[3].Emit {
			t.Errorf("got %s, %v after %d checkpoints, asked for %d edges, stored: %v", got, err, len(m.stored), size, stored)
		}
		if _, err := work(t.Context(), m, measure, ``); err != nil || size != 100 || !stored {
			t.Errorf("without data: %v, %d edges, stored: %v", err, size, stored)
		}
	})
	t.Run("stores nothing once it is cancelled", func(t *testing.T) {
		if _, err := work(t.Context(), &memory{err: kappa.ErrCancelled}, measure, ``); !errors.Is(err, kappa.ErrCancelled) || stored {
			t.Errorf("got %v, stored: %t", err, stored)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		ends := func(context.Context, int, bool, func(int, int) error) (vocabulary.Measured, error) {
			cancel(kappa.ErrShutdown)
			return vocabulary.Measured{}, context.Canceled
		}
		if _, err := work(ctx, &memory{}, ends, ``); !errors.Is(err, kappa.ErrShutdown) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("data that breaks a rule is refused", func(t *testing.T) {
		for data, rule := range map[string]string{
			`[]`:                    "data: must be an object such as",
			`{"sample_size":0}`:     "data.sample_size: must be at least 1, got 0",
			`{"sample_size":10001}`: "data.sample_size: must be at most 10000, got 10001",
			`{"sample_size":"x"}`:   "data.sample_size: must be a whole number, got string",
			`{"store":1}`:           "data.store: must be true or false, got number",
		} {
			if err := NewRemeasurement(measure, &memory{}, once).CheckData(json.RawMessage(data)); !strings.HasPrefix(kappa.ErrorMessage(err), rule) {
				t.Errorf("data %s gives %v, want %q", data, err, rule)
			}
		}
	})
}
