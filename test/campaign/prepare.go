package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The lanes of a campaign: one for each type, so that they may be edited and
// sampled apart.
const (
	maxLaneSlots = 64
	laneSlots    = 48
	campaignLane = "campaign_" // and the type
)

// roleOfServer is the name under which a server connects.
func roleOfServer(index int) string { return fmt.Sprintf("kg_server%d", index) }

// prepare adds the history, the campaign's lanes and the servers' roles, which have
// the given password, to a migrated database.
func prepare(ctx context.Context, dsn string, servers int, password string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, historySchema); err != nil {
		return fmt.Errorf("make the history: %w", err)
	}
	for i := range servers {
		if _, err := conn.Exec(ctx, "CREATE ROLE "+roleOfServer(i)+" SUPERUSER LOGIN PASSWORD '"+password+"'"); err != nil {
			return fmt.Errorf("make the role of server %d: %w", i, err)
		}
	}
	_, err = conn.Exec(ctx, `INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms)
		SELECT $1 || t, ARRAY[t], $2, 500 FROM unnest($3::text[]) AS t`, campaignLane, laneSlots, jobTypes())
	if err != nil {
		return fmt.Errorf("make the lanes: %w", err)
	}
	return prepareMaintenance(ctx, conn)
}
