package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// orphanCase has a handler hang and heed no context, in a lane with one slot, and
// takes its job back. The lane goes on with that job and the next one, and the
// handler is reported.
func orphanCase(run func(name string, test func(t *testing.T, l *pointLab))) {
	run("a handler that does not return", func(t *testing.T, l *pointLab) {
		gate := filepath.Join(t.TempDir(), "gate")
		rows(t, l.dsn, "WITH one AS (UPDATE kg_api.worker_lanes SET max_slots = 1 RETURNING 1) SELECT count(*) FROM one")
		s := l.start("before JobEffect=barrier(" + gate + ")#1")
		id := l.submit(`{"ms":30,"steps":3}`)
		s.reached("before JobEffect")
		next := l.submit(`{"ms":30,"steps":3}`)
		state, err := l.db.Retention().SchedulerState(t.Context())
		check(t, err)
		rows(t, l.dsn, "WITH stuck AS (UPDATE kg_api.jobs SET progress_at = progress_at - interval '1 day' WHERE job_id = $1 RETURNING 1) SELECT count(*) FROM stuck", id)
		_, err = l.db.Queue().RecoverStale(t.Context(), state.Term, 10)
		check(t, err)
		if job := l.completed(id, 3); job.Retries != 1 {
			t.Errorf("it completed after %d retries, want 1", job.Retries)
		}
		l.completed(next, 3)
		s.logged(`msg="a handler works on although its context has ended" job=` + id)
		if log := s.log(); !strings.Contains(log, "internal/jobs.") {
			t.Errorf("the log has no stack of the handler:\n%s", log)
		}
		check(t, os.WriteFile(gate, nil, 0o600))
		s.logged(`msg="a handler has returned that had ignored its context" job=` + id)
	})
}
