package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// AuditStore keeps who did what.
type AuditStore struct{ *base }

// Audit returns the store of who did what.
func (d *DB) Audit() AuditStore { return AuditStore{&d.base} }

const auditPruned = 1000 // entries at once

// Entries returns what f selects, newest first.
func (s AuditStore) Entries(ctx context.Context, f access.AuditFilter) ([]access.AuditEntry, error) {
	if after, _ := kappa.ParseCursor(kappa.ListAudit, f.Cursor, kappa.AuditKeys); !after.IsZero() {
		f.BeforeID = after.Key(0, 0)
	}
	rows, err := s.q().AuditList(ctx, db.AuditListParams{
		Owner: int32(f.Of), Username: f.User, Action: f.Action, Object: f.Object, ObjectID: f.ObjectID,
		Since: instant(f.Since), Until: instant(f.Until), BeforeID: f.BeforeID, MaxEntries: int32(f.Limit),
	})
	if err != nil {
		return nil, translate(err, "read the audit log")
	}
	entries := make([]access.AuditEntry, len(rows))
	for i, r := range rows {
		entries[i] = access.AuditEntry{
			ID: r.ID, At: kappa.At(r.At), UserID: int(r.UserID), Username: r.Username, ClientID: r.ClientID, RequestID: r.RequestID,
			Action: r.Action, Object: r.Object, ObjectID: r.ObjectID, Before: r.Before, After: r.After,
		}
	}
	return entries, nil
}

// PruneAudit deletes the entries that are older than keep, and returns how many.
func (s AuditStore) PruneAudit(ctx context.Context, keep time.Duration) (int, error) {
	total := 0
	for {
		n, err := s.q().AuditPrune(ctx, keep, auditPruned)
		total += int(n)
		if err != nil || n < auditPruned {
			return total, translate(err, "delete old entries of the audit log")
		}
	}
}

func instant(t *kappa.Time) *time.Time {
	if t == nil {
		return nil
	}
	return &t.Time
}

// act is what is recorded of one: the change as far as there is one.
type act struct {
	action, object, id string
	before, after      any // nil: there was, or is, nothing
}

// record stores an act in the transaction of q. Without an actor nobody is recorded.
func record(ctx context.Context, q *db.Queries, a act) error {
	actor, ok := access.ActorOf(ctx)
	if !ok {
		return nil
	}
	p := db.AuditInsertParams{
		UserID: int32(actor.UserID), Username: actor.Username, ClientID: actor.ClientID, RequestID: actor.RequestID,
		Action: a.action, Object: a.object, ObjectID: a.id,
	}
	for _, side := range []struct {
		from any
		to   *json.RawMessage
	}{{a.before, &p.Before}, {a.after, &p.After}} {
		if side.from == nil {
			continue
		}
		data, err := json.Marshal(side.from)
		if err != nil {
			return fmt.Errorf("encode what is recorded of %s: %w", a.action, err)
		}
		*side.to = data
	}
	return q.AuditInsert(ctx, p)
}

// acting runs the statements of one act on jobs: in a transaction when somebody is
// to be recorded with it, and else each by itself.
func (s *base) acting(ctx context.Context, f func(q *db.Queries) error) error {
	if _, ok := access.ActorOf(ctx); !ok {
		return f(s.q())
	}
	return inTx(ctx, s.jobs, f)
}
