package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// leftoverWait is how long PostgreSQL may take to notice that a connection is
// gone.
const leftoverWait = 5 * time.Second

func i28Leftovers(ctx context.Context, conn *pgx.Conn, o *outcome) ([]string, error) {
	limit := time.Now().Add(leftoverWait)
	for {
		found, err := lines(ctx, conn, `
			SELECT 'a backend of ' || a.application_name || ' is ' || a.state FROM pg_stat_activity a
			WHERE a.application_name LIKE 'kg-%' AND a.pid <> pg_backend_pid() AND a.datname = current_database()
			UNION ALL SELECT 'an advisory lock ' || l.objid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
			WHERE l.locktype = 'advisory' AND d.datname = current_database()
			UNION ALL SELECT 'a prepared transaction ' || p.gid FROM pg_prepared_xacts p WHERE p.database = current_database()
			UNION ALL SELECT 'a replication slot ' || r.slot_name FROM pg_replication_slots r WHERE r.database = current_database()
			UNION ALL SELECT 'the notification queue is in use' WHERE pg_notification_queue_usage() > 0`)
		if err != nil || len(found) == 0 || time.Now().After(limit) {
			return append(found, o.leftovers...), err
		}
		pause(ctx, sampleEvery)
	}
}

// i27NoSecrets wants the passwords, secrets and tokens of the campaign not to be
// logged, also those that it sends in the address of a stream.
func i27NoSecrets(_ context.Context, _ *pgx.Conn, o *outcome) ([]string, error) {
	if o.logs.Secrets > 0 {
		return []string{fmt.Sprintf("%d lines of the servers' logs have one", o.logs.Secrets)}, nil
	}
	return nil, nil
}

func i29Panics(_ context.Context, _ *pgx.Conn, o *outcome) ([]string, error) {
	if o.logs.Panics > 0 {
		return []string{fmt.Sprintf("%d panics are in the servers' logs", o.logs.Panics)}, nil
	}
	return nil, nil
}

// i30DidWork wants every kind of fault, and signs that they were felt. Campaigns
// with few faults are exercises of the harness and need not have them all.
func i30DidWork(_ context.Context, _ *pgx.Conn, o *outcome) ([]string, error) {
	if o.config.Faults < completeSchedule {
		return nil, nil
	}
	var found []string
	felt := map[faultKind]int{}
	for _, f := range o.faults {
		felt[f.kind]++
	}
	for _, s := range shares() {
		if felt[s.kind] == 0 {
			found = append(found, fmt.Sprintf("no fault of the kind %s took place", s.kind))
		}
	}
	broke := countPlaces(o.faults)
	for _, p := range places() {
		if broke[p.String()] == 0 {
			found = append(found, fmt.Sprintf("no server broke at the place %q", p))
		}
	}
	for what, n := range map[string]int{
		"job was taken back from a lost worker": o.logs.Rescues, "stale write was refused": o.logs.Stale,
		"lease was lost": o.logs.LeasesLost, "listener connected again": o.logs.Relistens, "sample was taken": o.sampled.Taken,
		"step was witnessed": len(o.steps), "job was followed": len(o.followed),
	} {
		if n == 0 {
			found = append(found, "no "+what)
		}
	}
	return append(found, idleRights(o.visited)...), nil
}
