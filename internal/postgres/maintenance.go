package postgres

import (
	"context"
	"errors"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// MaintenanceStore is for the jobs that keep house, and for when they are due.
type MaintenanceStore struct{ *base }

// Maintenance returns the store of the jobs that keep house.
func (d *DB) Maintenance() MaintenanceStore { return MaintenanceStore{&d.base} }

// MaintenanceFigures says how much there is to be done, with the embeddings of a model.
func (s MaintenanceStore) MaintenanceFigures(ctx context.Context, model string) (work.MaintenanceFigures, error) {
	row, err := db.New(s.graph).MaintenanceFigures(ctx, model)
	return work.MaintenanceFigures{
		Types: int(row.Types), CustomTypes: int(row.CustomTypes), UnsortedTypes: int(row.UnsortedTypes), UnembeddedTypes: int(row.UnembeddedTypes),
		UnmeasuredTypes: int(row.UnmeasuredTypes), Concepts: int(row.Concepts), Unprojected: int(row.UnprojectedConcepts), Unembedded: int(row.UnembeddedSources),
		Ontologies: int(row.Ontologies), Unannealed: int(row.UnannealedEpochs), Reading: int(row.ReadingJobs),
	}, translate(err, "read what is to be maintained")
}

// ScheduleSeeds returns the names of the schedules that a server has made by itself.
func (s MaintenanceStore) ScheduleSeeds(ctx context.Context) ([]string, error) {
	names, err := s.q().ScheduleSeeds(ctx)
	return names, translate(err, "read the schedules that were made")
}

// AddScheduleSeed remembers that a schedule was made.
func (s MaintenanceStore) AddScheduleSeed(ctx context.Context, name string) error {
	return translate(s.q().ScheduleSeedAdd(ctx, name), "remember a schedule")
}

// SourcesToEmbed returns the next chunks that wait for an embedding by a model.
func (s MaintenanceStore) SourcesToEmbed(ctx context.Context, model string, f corpus.SourceSelection, most int) ([]corpus.SourceToEmbed, error) {
	rows, err := db.New(s.graph).SourcesToEmbed(ctx, db.SourcesToEmbedParams{After: int32(f.After), SourceID: f.SourceID, Force: f.Force, Model: model, Most: int32(most)})
	list := make([]corpus.SourceToEmbed, len(rows))
	for i, r := range rows {
		list[i] = corpus.SourceToEmbed{ID: int(r.ID), SourceID: r.SourceID, Text: r.FullText}
	}
	return list, translate(err, "read the chunks to embed")
}

// CountSourcesToEmbed returns how many chunks wait.
func (s MaintenanceStore) CountSourcesToEmbed(ctx context.Context, model string, f corpus.SourceSelection) (int, error) {
	n, err := db.New(s.graph).SourcesToEmbedCount(ctx, db.SourcesToEmbedCountParams{After: int32(f.After), SourceID: f.SourceID, Force: f.Force, Model: model})
	return int(n), translate(err, "count the chunks to embed")
}

// StoreSourcePieces replaces the embeddings of chunks by a model, and stores a checkpoint,
// both or neither and only while the claim is current. It may be repeated. It returns
// ErrStale and ErrCancelled as Checkpoint does.
func (s MaintenanceStore) StoreSourcePieces(ctx context.Context, c work.Claim, model string, pieces []corpus.SourcePiece, next work.Checkpoint) error {
	var done saved
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := fence(ctx, q, c); err != nil {
			return err
		}
		var sources []int32
		params := make([]db.SourceEmbeddingInsertParams, len(pieces))
		for i, p := range pieces {
			sources = append(sources, int32(p.Source.ID))
			params[i] = db.SourceEmbeddingInsertParams{
				Model: model, Piece: int16(p.Number), StartChar: int32(p.Start), EndChar: int32(p.End), Vector: p.Embedding,
				Source: int32(p.Source.ID), FullText: p.Source.Text,
			}
		}
		if err := q.SourceEmbeddingClear(ctx, sources, model); err != nil {
			return err
		}
		var failed error
		q.SourceEmbeddingInsert(ctx, params).Exec(func(_ int, err error) { failed = errors.Join(failed, err) })
		if failed != nil {
			return failed
		}
		var err error
		done, err = checkpoint(ctx, q, c, next)
		return err
	})
	if err != nil {
		return translate(err, "store the embeddings of chunks")
	}
	return s.announce(done)
}

// ArtifactFigures counts the artifacts.
func (s MaintenanceStore) ArtifactFigures(ctx context.Context) (artifacts.Figures, error) {
	r, err := s.q().ArtifactFigures(ctx)
	return artifacts.Figures{Total: int(r.Total), WithFile: int(r.WithFile), Inline: int(r.Inline), Expired: int(r.Expired)}, translate(err, "count the artifacts")
}

// ExpiredArtifacts returns the artifacts that have expired, and the files that belong to
// none and whose writer has gone a day ago.
func (s MaintenanceStore) ExpiredArtifacts(ctx context.Context) (expired []artifacts.Expired, orphans []int64, err error) {
	rows, err := s.q().ArtifactsExpired(ctx)
	if err != nil {
		return nil, nil, translate(err, "list expired artifacts")
	}
	for _, r := range rows {
		expired = append(expired, artifacts.Expired{ID: int(r.ID), HasFile: r.HasFile})
	}
	orphans, err = s.q().ArtifactFilesOrphaned(ctx)
	return expired, orphans, translate(err, "list files without an artifact")
}

// DeleteExpired deletes an artifact that has expired still, with its file. It reports
// whether it was there.
func (s MaintenanceStore) DeleteExpired(ctx context.Context, id int) (bool, error) {
	n, err := s.q().ArtifactDeleteExpired(ctx, int64(id))
	return n > 0, translate(err, "delete an expired artifact")
}

// DeleteOrphan deletes a file that belongs to no artifact. It reports whether it was there.
func (s MaintenanceStore) DeleteOrphan(ctx context.Context, file int64) (bool, error) {
	n, err := s.q().ArtifactFileDeleteOrphan(ctx, file)
	return n > 0, translate(err, "delete a file without an artifact")
}
