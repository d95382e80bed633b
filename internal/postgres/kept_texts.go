package postgres

import (
	"context"
	"maps"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// jobTexts keep what was read of the document of a job.
type jobTexts struct {
	*base

	jobID string
}

// Texts returns where it is kept what was read of the document of a job, until the job is over.
func (s IngestionStore) Texts(jobID string) corpus.KeptParts { return jobTexts{s.base, jobID} }

// Keep keeps parts of a document, unless the job is over.
func (t jobTexts) Keep(ctx context.Context, reader string, parts map[int][]byte) error {
	var numbers []int32
	var bodies [][]byte
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		numbers, bodies = append(numbers, int32(part)), append(bodies, parts[part])
	}
	return translate(t.q().TextsKeep(ctx, db.TextsKeepParams{JobID: t.jobID, Reader: reader, Parts: numbers, Bodies: bodies}), "keep what was read of the document of "+t.jobID)
}

// Parts returns what a reader has kept.
func (t jobTexts) Parts(ctx context.Context, reader string) (map[int][]byte, error) {
	rows, err := t.q().TextsKept(ctx, t.jobID, reader)
	if err != nil {
		return nil, translate(err, "find what was read of the document of "+t.jobID)
	}
	parts := make(map[int][]byte, len(rows))
	for _, row := range rows {
		parts[int(row.Part)] = row.Body
	}
	return parts, nil
}
