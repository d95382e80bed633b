package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
)

// Settings returns the settings of questions to the graph.
func (s GraphStore) Settings(ctx context.Context) (knowledge.GraphSettings, error) {
	row, err := s.q().GraphSettings(ctx)
	return toGraphSettings(row), translate(err, "read the settings of the graph")
}

// UpdateSettings changes the settings of questions to the graph on every server.
// The caller has validated u.
func (s GraphStore) UpdateSettings(ctx context.Context, u knowledge.GraphSettingsUpdate) (change knowledge.GraphSettingsChange, err error) {
	err = inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.GraphSettingsForUpdate(ctx)
		if err != nil {
			return err
		}
		change = u.Apply(toGraphSettings(row))
		if len(change.Changed) == 0 {
			return nil
		}
		is := &change.Settings
		changed, err := q.GraphSettingsUpdate(ctx, db.GraphSettingsUpdateParams{
			MaxWorkers: int32(is.MaxWorkers), TimeoutSeconds: int32(is.TimeoutSeconds), ParallelFrom: int32(is.ParallelFrom),
			ChunkSize: int32(is.ChunkSize), ChunkTimeoutSeconds: int32(is.ChunkTimeoutSeconds), MaxResultsPerChunk: int32(is.MaxResultsPerChunk),
		})
		if err != nil {
			return err
		}
		is.UpdatedAt = kappa.At(changed.UpdatedAt)
		return record(ctx, q, settingsAct("settings.update", "settings", "graph", change.Changed))
	})
	return change, translate(err, "change the settings of the graph")
}

func toGraphSettings(r db.KgApiGraphSetting) knowledge.GraphSettings {
	return knowledge.GraphSettings{
		MaxWorkers: int(r.MaxWorkers), TimeoutSeconds: int(r.TimeoutSeconds), ParallelFrom: int(r.ParallelFrom),
		ChunkSize: int(r.ChunkSize), ChunkTimeoutSeconds: int(r.ChunkTimeoutSeconds), MaxResultsPerChunk: int(r.MaxResultsPerChunk),
		UpdatedAt: kappa.At(r.UpdatedAt),
	}
}
