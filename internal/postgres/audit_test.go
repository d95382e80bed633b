package postgres_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// asActor is a context in which acts are recorded as those of the administrator.
func asActor(t *testing.T) context.Context {
	return access.WithActor(t.Context(), access.Actor{UserID: access.AdminUserID, Username: "admin", ClientID: "one", RequestID: "r1"})
}

func TestActsAreRecorded(t *testing.T) {
	s, dsn := newStore(t)
	ctx := asActor(t)
	waiting := func() string {
		t.Helper()
		return submit(t, s, "noop", func(j *work.NewJob) { j.AutoApprove = false }).ID
	}
	last := func(action, object, id, before, after string) {
		t.Helper()
		entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{Object: object, ObjectID: id, Limit: 1})
		if err != nil || len(entries) != 1 {
			t.Fatalf("%s: %d entries, err %v", action, len(entries), err)
		}
		e := entries[0]
		if e.Action != action || e.Username != "admin" || e.UserID != access.AdminUserID || e.ClientID != "one" || e.RequestID != "r1" || time.Since(e.At.Time) > time.Minute {
			t.Errorf("entry %+v, want %s of admin", e, action)
		}
		wantSameJSON(t, e.Before, before)
		wantSameJSON(t, e.After, after)
	}
	no := false
	for name, act := range map[string]func(t *testing.T){
		"approve, reprioritize, cancel, retry, purge": func(t *testing.T) {
			id := waiting()
			must(t, s.Jobs().Approve(ctx, id, "admin"))
			last("job.approve", "job", id, `{"status":"awaiting_approval"}`, `{"status":"approved"}`)
			_, _, err := s.Jobs().Reprioritize(ctx, id, 7)
			must(t, err)
			last("job.reprioritize", "job", id, `{"priority":0}`, `{"priority":7}`)
			_, err = s.Jobs().Cancel(ctx, id)
			must(t, err)
			last("job.cancel", "job", id, `{"status":"approved"}`, `{"status":"cancelled"}`)
			job, err := s.Jobs().RetryJob(ctx, work.Retry{JobID: id, UserID: access.SystemUserID})
			must(t, err)
			last("job.retry", "job", id, ``, `{"new_job_id":"`+job.ID+`"}`)
			must(t, s.Jobs().Purge(ctx, id, false))
			last("job.purge", "job", id, `{"status":"cancelled"}`, ``)
		},
		"a lane is drained": func(t *testing.T) {
			_, err := s.Lanes().UpdateLane(ctx, "system", work.LaneUpdate{Enabled: &no})
			must(t, err)
			last("lane.drain", "lane", "system", `{"enabled":true}`, `{"enabled":false}`)
		},
		"nothing is recorded of what is refused": func(t *testing.T) {
			id := waiting()
			if _, _, err := s.Jobs().Reprioritize(ctx, id, 7); kappa.ErrorCode(err) != kappa.CodeConflict {
				t.Fatal(err)
			}
			if entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{ObjectID: id, Limit: 1}); err != nil || len(entries) > 0 {
				t.Errorf("%v, err %v", entries, err)
			}
		},
		"nor of what nobody does": func(t *testing.T) {
			id := waiting()
			must(t, s.Jobs().Approve(t.Context(), id, work.ApprovedBySystem))
			if entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{ObjectID: id, Limit: 1}); err != nil || len(entries) > 0 {
				t.Errorf("%v, err %v", entries, err)
			}
		},
	} {
		t.Run(name, act)
	}
	t.Run("an act that cannot be recorded does not happen", func(t *testing.T) {
		id := waiting()
		_, err := connect(t, dsn).Exec(t.Context(), `ALTER TABLE kg_api.audit_log ADD CONSTRAINT none CHECK (false) NOT VALID`)
		must(t, err)
		if err := s.Jobs().Approve(ctx, id, "admin"); err == nil {
			t.Error("it was approved")
		}
		if job, err := s.Jobs().Job(t.Context(), id); err != nil || job.Status != work.StatusAwaitingApproval {
			t.Errorf("status %s, err %v", job.Status, err)
		}
	})
}

func wantSameJSON(t *testing.T, got json.RawMessage, want string) {
	t.Helper()
	if want == "" {
		if got != nil {
			t.Errorf("got %s, want none", got)
		}
		return
	}
	var a, b any
	must(t, json.Unmarshal(got, &a))
	must(t, json.Unmarshal([]byte(want), &b))
	x, _ := json.Marshal(a) //nolint:errchkjson // it was read as JSON
	y, _ := json.Marshal(b) //nolint:errchkjson // it was read as JSON
	if string(x) != string(y) {
		t.Errorf("got %s, want %s", x, y)
	}
}

// TestAuditOfAnOwner: what a user did and what was done to the account, and nothing else.
func TestAuditOfAnOwner(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	for _, row := range []string{
		"(7, 'ada', 'c', 'r', 'job.cancel', 'job', 'job_1')", "(1000, 'admin', 'c', 'r', 'user.password', 'user', '7')",
		"(8, 'bob', 'c', 'r', 'job.cancel', 'job', '7')", "(1000, 'admin', 'c', 'r', 'user.password', 'user', '8')",
	} {
		execSQL(t, dsn, "INSERT INTO kg_api.audit_log (user_id, username, client_id, request_id, action, object, object_id) VALUES "+row)
	}
	entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{Of: 7, Limit: 10})
	if err != nil || len(entries) != 2 || entries[0].Action != "user.password" || entries[0].ObjectID != "7" || entries[1].Username != "ada" {
		t.Errorf("got %+v, %v", entries, err)
	}
}
