package postgres_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// TestServerLog has the database refuse what carries a job's data, and reads what it
// writes into its log.
func TestServerLog(t *testing.T) {
	t.Parallel()
	admin, log := pgtest.NewCluster(t)
	execSQL(t, admin, "ALTER SYSTEM SET log_parameter_max_length_on_error = -1") // an administrator who debugs something
	execSQL(t, admin, "SELECT pg_reload_conf()")
	execSQL(t, admin, "CREATE ROLE plain LOGIN PASSWORD 'plain'")
	execSQL(t, admin, "GRANT USAGE ON SCHEMA kg_api TO plain")
	execSQL(t, admin, "GRANT ALL ON ALL TABLES IN SCHEMA kg_api TO plain")
	execSQL(t, admin, "GRANT ALL ON ALL SEQUENCES IN SCHEMA kg_api TO plain")

	t.Run("of the private cluster says nothing of the data, whatever is wrong", func(t *testing.T) {
		db := openDB(t, admin)
		// As the rules stand nothing that is submitted breaks this one.
		execSQL(t, admin, "ALTER TABLE kg_api.jobs ADD CONSTRAINT never CHECK (NOT data ? 'password')")
		defer execSQL(t, admin, "ALTER TABLE kg_api.jobs DROP CONSTRAINT never")
		_, err := db.Jobs().SubmitJob(t.Context(), newJob(`{"password": "hunter2"}`))
		checkRefused(t, log, err, kappa.CodeInternal)
	})
	t.Run("of a foreign one neither, whatever is submitted", func(t *testing.T) {
		db := openDB(t, asRole(t, admin, "plain"))
		for _, j := range map[string]work.NewJob{
			"half a surrogate pair": newJob(`{"password": "hunter2 \ud800"}`),
			"a NUL":                 newJob(`{"password": "hunter2 \u0000"}`),
			"a huge number":         newJob(`{"password": "hunter2", "n": 1e999999}`),
			"a priority":            {Type: "polarity", Priority: 1000, Data: json.RawMessage(`{"password": "hunter2"}`), UserID: access.SystemUserID},
			"a key":                 {Type: "polarity", Key: strings.Repeat("hunter2", 50), UserID: access.SystemUserID},
		} {
			_, err := db.Jobs().SubmitJob(t.Context(), j)
			checkRefused(t, log, err, kappa.CodeInvalid)
		}
	})
	t.Run("of a foreign one neither, whatever a handler stores", func(t *testing.T) {
		db := openDB(t, asRole(t, admin, "plain"))
		register(t, db, workerA)
		submit(t, db, "polarity")
		c := claim(t, db, workerA, 1)[0]
		for _, raw := range map[string]json.RawMessage{
			"half a surrogate pair": json.RawMessage(`{"password": "hunter2 \udc00"}`),
			"a NUL":                 json.RawMessage(`{"password": "hunter2 \u0000"}`),
			"a huge number":         json.RawMessage(`{"password": "hunter2", "n": 1e999999}`),
			"no JSON":               json.RawMessage(`{"password": "hunter2`),
		} {
			_, err := db.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: c, Status: work.StatusCompleted, Result: raw}})
			checkRefused(t, log, err, kappa.CodeInvalid)
			checkRefused(t, log, db.Claims().Checkpoint(t.Context(), c, work.Checkpoint{State: raw}), kappa.CodeInvalid)
			checkRefused(t, log, db.Claims().Effect(t.Context(), c, "step", work.Checkpoint{State: raw}), kappa.CodeInvalid)
		}
	})
}

func newJob(data string) work.NewJob {
	return work.NewJob{Type: "polarity", Queue: work.DefaultQueue, Data: json.RawMessage(data), UserID: access.SystemUserID}
}

// openDB opens a database for the test.
func openDB(t *testing.T, dsn string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, JobConns: 2, GraphConns: 1, AuthConns: 1, AcquireTimeout: connectLimit})
	must(t, err)
	t.Cleanup(db.Close)
	return db
}

// asRole is the address of the same database for another role, whose password is its
// name.
func asRole(t *testing.T, dsn, role string) string {
	t.Helper()
	return dsn + " user=" + role + " password=" + role
}

// checkRefused wants an error, and nothing secret in the log of the server.
func checkRefused(t *testing.T, log string, err error, code kappa.Code) {
	t.Helper()
	var known *kappa.Error
	if !errors.As(err, &known) || known.Code != code {
		t.Errorf("got %v, want %s", err, code)
	}
	if err != nil && strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error has the data: %v", err)
	}
	text, err := os.ReadFile(log)
	must(t, err)
	must(t, os.Truncate(log, 0)) // which the server appends to
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, "hunter2") {
			t.Errorf("the server's log has the data: %s", line)
		}
	}
}
