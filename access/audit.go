package access

import (
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// AuditEntry is one act of a person or a program: who did what to which thing, when,
// and what that changed. It is stored in the transaction of the act.
type AuditEntry struct {
	ID        int64           `json:"id"`
	At        kappa.Time      `json:"at"`
	UserID    int             `json:"user_id"`
	Username  string          `json:"username" doc:"As it was then"`
	ClientID  string          `json:"client_id" doc:"What acted for the user"`
	RequestID string          `json:"request_id" doc:"Names the request in the server's log"`
	Action    string          `json:"action" doc:"For example job.approve"`
	Object    string          `json:"object" doc:"The kind of thing: job, jobs, lane, schedule, user, client, role, grant, assignment, resource"`
	ObjectID  string          `json:"object_id"`
	Before    json.RawMessage `json:"before" doc:"What it was, as far as it changed; null for a new thing"`
	After     json.RawMessage `json:"after" doc:"What it is, as far as it changed; null for a thing that is gone"`
}

// AuditFilter selects entries, newest first. The zero value of a member selects all.
type AuditFilter struct {
	Of       int    // only what this user did, or what was done to the account; 0 = all
	User     string // a name
	Action   string // whole, or its first word, as job
	Object   string
	ObjectID string
	Since    *kappa.Time
	Until    *kappa.Time
	BeforeID int64  // entries older than this one
	Limit    int    // 1 to 500
	Cursor   string // of the page before, instead of BeforeID
}

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule.
func (f AuditFilter) Validate() error {
	var r check.Rules
	r.Add("query", "limit", check.Range(f.Limit, 1, maxListed))
	for _, m := range []struct{ name, value string }{{"user", f.User}, {"action", f.Action}, {"object", f.Object}, {"object_id", f.ObjectID}} {
		r.Add("query", m.name, check.OptionalName(m.value, maxAuditWord))
	}
	r.Add("query", "cursor", check.Cursor(kappa.ListAudit, f.Cursor, kappa.AuditKeys, 0))
	if f.BeforeID < 0 {
		r.Add("query", "before_id", "must not be negative")
	}
	for _, m := range []struct {
		name string
		at   *kappa.Time
	}{{"since", f.Since}, {"until", f.Until}} {
		if m.at != nil {
			r.Add("query", m.name, check.Instant(*m.at))
		}
	}
	return r.Err()
}

const (
	maxListed    = 500
	maxAuditWord = 300
)

// DefaultAuditRetention is how long entries are kept unless another time is chosen.
const DefaultAuditRetention = 365 * 24 * time.Hour
