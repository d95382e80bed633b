package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// historySchema is what the campaign writes down beside the product: a row for
// each change of a job's status or claim, written by a trigger in the same
// transaction and under the job's lock, so that the order of ids is that of the
// commits; each term of a leader; effects that no current claim recorded; and
// the faults.
const historySchema = `
CREATE SCHEMA campaign;

CREATE TABLE campaign.history (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_id text NOT NULL, was text, "is" text NOT NULL,
    token bigint, worker uuid, attempt int NOT NULL, retries int NOT NULL, crashes int NOT NULL,
    event_seq bigint NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
    by_server text NOT NULL DEFAULT session_user -- each server has a role of its own
);
CREATE FUNCTION campaign.note_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.history (job_id, was, "is", token, worker, attempt, retries, crashes, event_seq)
    VALUES (NEW.job_id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status, NEW.claim_token, NEW.claimed_by,
        NEW.attempt, NEW.retries, NEW.crash_count, NEW.event_seq);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_insert AFTER INSERT ON kg_api.jobs FOR EACH ROW EXECUTE FUNCTION campaign.note_job();
CREATE TRIGGER campaign_update AFTER UPDATE ON kg_api.jobs FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.claim_token IS DISTINCT FROM NEW.claim_token)
    EXECUTE FUNCTION campaign.note_job();

CREATE TABLE campaign.terms (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    term bigint NOT NULL, worker uuid, at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE FUNCTION campaign.note_term() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO campaign.terms (term, worker) VALUES (NEW.term, NEW.worker_id);
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_term AFTER UPDATE ON kg_api.leader FOR EACH ROW EXECUTE FUNCTION campaign.note_term();

CREATE TABLE campaign.stale_effects (job_id text NOT NULL, step text NOT NULL, token bigint NOT NULL);
CREATE FUNCTION campaign.note_effect() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM kg_api.jobs j
        WHERE j.job_id = NEW.job_id AND j.claim_token = NEW.claim_token AND j.status = 'processing') THEN
        INSERT INTO campaign.stale_effects VALUES (NEW.job_id, NEW.step, NEW.claim_token);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER campaign_effect AFTER INSERT ON kg_api.job_effects FOR EACH ROW EXECUTE FUNCTION campaign.note_effect();

CREATE TABLE campaign.faults (
    kind text NOT NULL, role text NOT NULL, server int NOT NULL, leader boolean NOT NULL,
    began timestamptz NOT NULL, ended timestamptz NOT NULL
);
`

// The lanes of a campaign: one for each type, so that they may be edited and
// sampled apart.
const (
	maxLaneSlots = 32
	laneSlots    = 24
	campaignLane = "campaign_" // and the type
)

// roleOfServer is the name under which a server connects.
func roleOfServer(index int) string { return fmt.Sprintf("kg_server%d", index) }

// prepare adds the history, the campaign's lanes and the servers' roles to a
// migrated database.
func prepare(ctx context.Context, dsn string, servers int) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fmt.Errorf("prepare the database: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is lost with it
	if _, err := conn.Exec(ctx, historySchema); err != nil {
		return fmt.Errorf("make the history: %w", err)
	}
	for i := range servers {
		if _, err := conn.Exec(ctx, "CREATE ROLE "+roleOfServer(i)+" SUPERUSER LOGIN"); err != nil {
			return fmt.Errorf("make the role of server %d: %w", i, err)
		}
	}
	_, err = conn.Exec(ctx, `INSERT INTO kg_api.worker_lanes (name, job_types, max_slots, poll_interval_ms)
		SELECT $1 || t, ARRAY[t], $2, 500 FROM unnest($3::text[]) AS t`, campaignLane, laneSlots, jobTypes())
	if err != nil {
		return fmt.Errorf("make the lanes: %w", err)
	}
	return nil
}
