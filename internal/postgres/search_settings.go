package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// SearchThreshold returns the similarity that was set for searches, nil when none was.
func (s GraphStore) SearchThreshold(ctx context.Context) (*float64, error) {
	threshold, err := db.New(s.graph).SearchThreshold(ctx)
	return threshold, translate(err, "read the threshold of searches")
}

// SetSearchThreshold sets the similarity from which on searches show concepts, 0 to 1.
func (s GraphStore) SetSearchThreshold(ctx context.Context, threshold float64) error {
	return translate(inTx(ctx, s.graph, func(q *db.Queries) error {
		was, err := q.SearchThreshold(ctx)
		if err != nil {
			return err
		}
		if err := q.SearchThresholdSet(ctx, threshold); err != nil {
			return err
		}
		return record(ctx, q, settingsAct("settings.update", "settings", "search", map[string]kappa.SettingDiff{"threshold": {Old: was, New: threshold}}))
	}), "set the threshold of searches")
}
