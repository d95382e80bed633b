package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// AddAttemptTimes stores how long attempts took, and forgets what is older than
// work.StatsKept.
func (s LaneStore) AddAttemptTimes(ctx context.Context, told []work.AttemptTimes) error {
	in := db.AttemptMinutesAddParams{Kept: work.StatsKept}
	for _, t := range told {
		in.Lanes, in.JobTypes = append(in.Lanes, t.Lane), append(in.JobTypes, t.JobType)
		for list, value := range map[*[]string]any{&in.Ended: t.Ended, &in.Waited: t.Waited, &in.Ran: t.Ran} {
			text, err := json.Marshal(value)
			if err != nil {
				return fmt.Errorf("encode how long attempts took: %w", err)
			}
			*list = append(*list, string(text))
		}
	}
	return translate(s.q().AttemptMinutesAdd(ctx, in), "store how long attempts took")
}

// AttemptStats returns how long attempts waited and ran that have ended since some time ago,
// on all servers. Each tells once a minute, so the last minute may be missing.
func (s LaneStore) AttemptStats(ctx context.Context, f work.StatsFilter) (work.AttemptStats, error) {
	rows, err := s.q().AttemptMinutes(ctx, f.Since, f.Lane, f.JobType)
	if err != nil {
		return work.AttemptStats{}, translate(err, "read how long attempts took")
	}
	told := make([]work.AttemptTimes, len(rows))
	for i, r := range rows {
		t := work.AttemptTimes{Lane: r.Lane, JobType: r.JobType, At: r.At}
		for column, value := range map[string]struct {
			text json.RawMessage
			into any
		}{"ended": {r.Ended, &t.Ended}, "waited": {r.Waited, &t.Waited}, "ran": {r.Ran, &t.Ran}} {
			if err := json.Unmarshal(value.text, value.into); err != nil {
				return work.AttemptStats{}, fmt.Errorf("decode %s of attempt_minutes: %w", column, err)
			}
		}
		told[i] = t
	}
	now, err := s.q().AttemptMinutesNow(ctx)
	if err != nil {
		return work.AttemptStats{}, translate(err, "read the time")
	}
	return work.NewAttemptStats(now.Add(-f.Since), now, told), nil
}
