-- +goose Up
-- How many jobs are over is counted where it changes, so that a status costs the same with
-- any number of them. Whoever ends or deletes a job only appends to job_changes, and so waits
-- for nobody; a reader adds those changes to the counts; and now and then the leader folds
-- them in. The jobs that are not over stand in indexes of their own, and are counted there.
CREATE TABLE kg_api.job_counts (
    status text PRIMARY KEY CONSTRAINT counted_jobs_are_over CHECK (status IN ('completed', 'failed', 'cancelled')),
    jobs   bigint NOT NULL
) WITH (fillfactor = 50);

-- A row is a job that came to an end in a status (1), one that is gone or open again (-1), or
-- several.
CREATE TABLE kg_api.job_changes (
    status text NOT NULL,
    change bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- How many jobs have ended in each status, as of this moment.
CREATE VIEW kg_api.ended_jobs AS
SELECT n.status, sum(n.jobs)::bigint AS jobs
FROM (SELECT c.status, c.jobs FROM kg_api.job_counts c UNION ALL SELECT p.status, p.change FROM kg_api.job_changes p) n
GROUP BY n.status;

-- +goose StatementBegin
CREATE FUNCTION kg_api.count_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.completed_at IS NOT NULL THEN
        INSERT INTO kg_api.job_changes (status, change) VALUES (OLD.status, -1);
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.completed_at IS NOT NULL THEN
        INSERT INTO kg_api.job_changes (status, change) VALUES (NEW.status, 1);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- Adds what the counts lack, and returns how far they were off. What is counted and what is
-- kept are of one moment, so nobody has to wait meanwhile. It is for whoever writes the table
-- past the triggers, and for what a server has ended that is older than the counts.
-- +goose StatementBegin
CREATE FUNCTION kg_api.recount_jobs() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    off bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('kg_api.job_counts', 0));
    WITH missing AS (
        SELECT n.status, sum(n.found - n.kept)::bigint AS change
        FROM (SELECT j.status, count(*) AS found, 0 AS kept FROM kg_api.jobs j WHERE j.completed_at IS NOT NULL GROUP BY j.status
            UNION ALL SELECT e.status, 0, e.jobs FROM kg_api.ended_jobs e) n
        GROUP BY n.status HAVING sum(n.found) <> sum(n.kept)
    ), added AS (
        INSERT INTO kg_api.job_changes (status, change) SELECT m.status, m.change FROM missing m
    )
    SELECT coalesce(sum(abs(m.change)), 0) INTO off FROM missing m;
    RETURN off;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION kg_api.count_no_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kg_api.recount_jobs();
    RETURN NULL;
END $$;
-- +goose StatementEnd

-- A row at a time: a trigger of a statement would keep a copy of every job that a claim
-- changes. What a worker has ended, which has an end_seq, is counted by the statement that
-- stores many such ends, with one row for all.
CREATE TRIGGER count_added AFTER INSERT ON kg_api.jobs FOR EACH ROW
    WHEN (NEW.completed_at IS NOT NULL) EXECUTE FUNCTION kg_api.count_job();
CREATE TRIGGER count_changed AFTER UPDATE OF status, completed_at ON kg_api.jobs FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND (OLD.completed_at IS NOT NULL OR NEW.completed_at IS NOT NULL AND NEW.end_seq IS NULL)) EXECUTE FUNCTION kg_api.count_job();
CREATE TRIGGER count_deleted AFTER DELETE ON kg_api.jobs FOR EACH ROW
    WHEN (OLD.completed_at IS NOT NULL) EXECUTE FUNCTION kg_api.count_job();
CREATE TRIGGER count_truncated AFTER TRUNCATE ON kg_api.jobs FOR EACH STATEMENT EXECUTE FUNCTION kg_api.count_no_jobs();
SELECT kg_api.recount_jobs();

-- The same index as documents_listed_idx.
DROP INDEX kg_api.documents_newest_idx;

-- +goose Down
CREATE INDEX documents_newest_idx ON kg_api.documents (ontology_id, id);
DROP TRIGGER count_truncated ON kg_api.jobs;
DROP TRIGGER count_deleted ON kg_api.jobs;
DROP TRIGGER count_changed ON kg_api.jobs;
DROP TRIGGER count_added ON kg_api.jobs;
DROP FUNCTION kg_api.count_no_jobs, kg_api.recount_jobs, kg_api.count_job;
DROP VIEW kg_api.ended_jobs;
DROP TABLE kg_api.job_changes, kg_api.job_counts;
