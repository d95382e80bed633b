package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// EventStore reads the histories of jobs.
type EventStore struct{ *base }

// Events returns the store of the histories of jobs.
func (d *DB) Events() EventStore { return EventStore{&d.base} }

// EventsAfter returns up to limit events of a job that come after seq, in
// order.
func (s EventStore) EventsAfter(ctx context.Context, id string, seq int64, limit int) ([]work.Event, error) {
	return s.EventsOf(ctx, map[string]int64{id: seq}, limit)
}

// EventsOf returns up to limit events of several jobs, for each those after the
// number that it is mapped to, in order within each job.
func (s EventStore) EventsOf(ctx context.Context, after map[string]int64, limit int) ([]work.Event, error) {
	ids, seqs := make([]string, 0, len(after)), make([]int64, 0, len(after))
	for id, seq := range after {
		ids, seqs = append(ids, id), append(seqs, seq)
	}
	rows, err := s.q().JobEvents(ctx, ids, seqs, int32(limit))
	if err != nil {
		return nil, translate(err, "read events")
	}
	events := make([]work.Event, len(rows))
	for i, row := range rows {
		if events[i], err = toEvent(row); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// EventSeqs returns the number of the last event of each job; unknown jobs are
// left out.
func (s EventStore) EventSeqs(ctx context.Context, ids []string) (map[string]int64, error) {
	rows, err := s.q().JobEventSeqs(ctx, ids)
	if err != nil {
		return nil, translate(err, "read event numbers")
	}
	seqs := make(map[string]int64, len(rows))
	for _, row := range rows {
		seqs[row.JobID] = row.EventSeq
	}
	return seqs, nil
}

func toEvent(row db.KgApiJobHistory) (work.Event, error) {
	return work.StoredEvent(work.Event{
		JobID: row.JobID, Seq: row.Seq, Kind: work.EventKind(row.Kind), Payload: row.Payload, At: kappa.At(row.At),
	})
}
