package postgres

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/webhooks"
	"github.com/kappagraph/kappa/work"
)

const (
	deliveriesPruned = 1000   // at once
	mostReplayed     = 10_000 // deliveries of one request
)

// AnyWebhook reports whether a webhook is enabled: without one nothing is to be sent.
func (s WebhookStore) AnyWebhook(ctx context.Context) (bool, error) {
	found, err := s.q().WebhookAny(ctx)
	return found, translate(err, "look for webhooks")
}

// Exchange stores how attempts have ended, and takes what is to be sent now: of each webhook as
// much as it has free slots. What it takes, nobody else does before the lease ends. It returns
// besides which webhooks were disabled because of the attempts.
func (s WebhookStore) Exchange(ctx context.Context, ended []webhooks.Settled, slots int, lease time.Duration) (taken []webhooks.Message, disabled []webhooks.Disabled, err error) {
	err = inTx(ctx, s.jobs, func(q *db.Queries) error {
		if err := q.WebhookTurn(ctx); err != nil {
			return err
		}
		if len(ended) > 0 {
			rows, err := q.WebhookSettle(ctx, settleParams(ended))
			if err != nil {
				return err
			}
			disabled = nil
			for _, r := range rows {
				disabled = append(disabled, webhooks.Disabled{ID: r.WebhookID, URL: r.Url, Reason: r.DisabledReason})
			}
		}
		if slots == 0 {
			return nil
		}
		if _, err := q.WebhookPark(ctx); err != nil {
			return err
		}
		rows, err := q.WebhookClaim(ctx, lease, int64(slots))
		taken = make([]webhooks.Message, len(rows))
		for i, r := range rows {
			taken[i] = webhooks.Message{
				WebhookID: r.WebhookID, URL: r.Url, Key: webhooks.Key{Seq: r.Seq, Tag: r.Tag}, Event: webhooks.Event(r.Event), Data: r.Data,
				At: r.HappenedAt, Attempt: int(r.Attempts), Lease: *r.LeasedUntil,
			}
		}
		return err
	})
	return taken, disabled, translate(err, "take what is to be sent to webhooks")
}

func settleParams(ended []webhooks.Settled) db.WebhookSettleParams {
	p := db.WebhookSettleParams{DisableAfter: webhooks.DisableAfter}
	for _, e := range ended {
		p.WebhookIds, p.Seqs, p.Leases = append(p.WebhookIds, e.WebhookID), append(p.Seqs, e.Key.Seq), append(p.Leases, e.Lease)
		p.Statuses, p.DelaysMs, p.Gone = append(p.Statuses, string(e.Status)), append(p.DelaysMs, e.Wait.Milliseconds()), append(p.Gone, e.Gone)
		p.AnswerStatuses, p.Answers = append(p.AnswerStatuses, int32(e.AnswerStatus)), append(p.Answers, storedText(e.Answer))
		p.Errors, p.TookMs = append(p.Errors, storedText(e.Error)), append(p.TookMs, int32(e.Took.Milliseconds()))
	}
	return p
}

// storedText returns a text from outside in a form that can be stored.
func storedText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// Deliveries returns what f selects of a webhook, newest first.
func (s WebhookStore) Deliveries(ctx context.Context, id string, f webhooks.Filter) ([]webhooks.Delivery, error) {
	after, _ := kappa.ParseCursor(kappa.ListDeliveries, f.Cursor, kappa.DeliveryKeys)
	rows, err := s.q().WebhookDeliveryList(ctx, db.WebhookDeliveryListParams{
		WebhookID: id, Before: after.Key(0, math.MaxInt64), Status: string(f.Status), Event: string(f.Event), Most: int32(f.Limit),
	})
	list := make([]webhooks.Delivery, len(rows))
	for i, r := range rows {
		list[i] = toDelivery(r)
	}
	return list, translate(err, "list the deliveries of a webhook")
}

// Replay has a delivery sent again that is over, with the same id. It returns CodeNotFound, and
// CodeConflict for one that is not over.
func (s WebhookStore) Replay(ctx context.Context, id string, key webhooks.Key) (d webhooks.Delivery, err error) {
	err = inTx(ctx, s.jobs, func(q *db.Queries) error {
		row, err := q.WebhookReplay(ctx, id, key.Seq, key.Tag)
		if isNoRows(err) {
			if _, err = q.WebhookDeliveryByID(ctx, id, key.Seq, key.Tag); err == nil {
				return conflict("Delivery %s is not over: it will be sent", key.ID())
			}
			if isNoRows(err) {
				return notFound("Delivery not found: %s", key.ID())
			}
		}
		if err != nil {
			return err
		}
		d = toDelivery(row)
		return record(ctx, q, act{action: "webhook.replay", object: "webhook", id: id, after: map[string]any{"delivery": key.ID()}})
	})
	return d, translate(err, "replay a delivery")
}

// ReplayFailed has all deliveries of a webhook sent again that have failed and whose events
// happened at since or later, and returns how many.
func (s WebhookStore) ReplayFailed(ctx context.Context, id string, since time.Time) (total int, err error) {
	for {
		n, err := s.q().WebhookReplayFailed(ctx, id, since, mostReplayed)
		total += int(n)
		if err != nil || n < mostReplayed {
			if err == nil && total > 0 {
				err = inTx(ctx, s.jobs, func(q *db.Queries) error {
					return record(ctx, q, act{action: "webhook.replay", object: "webhook", id: id, after: map[string]any{"since": kappa.At(since), "deliveries": total}})
				})
			}
			return total, translate(err, "replay failed deliveries")
		}
	}
}

// PurgeWebhooks deletes the deliveries that ended longer ago than they are kept, and those whose
// webhook is gone.
func (s WebhookStore) PurgeWebhooks(ctx context.Context, keep work.Retention) error {
	for {
		n, err := s.q().WebhookDeliveriesPrune(ctx, keep.Completed, keep.Failed, deliveriesPruned)
		if err != nil {
			return translate(err, "delete old deliveries of webhooks")
		}
		if n < deliveriesPruned {
			break
		}
	}
	ids, err := s.q().WebhookDeliveriesOwners(ctx)
	if err != nil {
		return translate(err, "look for deliveries without a webhook")
	}
	for _, id := range ids {
		if err := s.forgetDeliveries(ctx, id); err != nil {
			return translate(err, "delete deliveries without a webhook")
		}
	}
	return nil
}

// forgetDeliveries deletes the deliveries of a webhook that is gone.
func (s WebhookStore) forgetDeliveries(ctx context.Context, id string) error {
	for {
		n, err := s.q().WebhookDeliveriesForget(ctx, id, deliveriesPruned)
		if err != nil || n < deliveriesPruned {
			return err
		}
	}
}

func toDelivery(r db.KgApiWebhookDelivery) webhooks.Delivery {
	key := webhooks.Key{Seq: r.Seq, Tag: r.Tag}
	d := webhooks.Delivery{
		ID: key.ID(), Event: webhooks.Event(r.Event), Status: webhooks.Status(r.Status), HappenedAt: kappa.At(r.HappenedAt), Attempts: int(r.Attempts),
		AttemptedAt: kappa.AtPtr(r.AttemptedAt), NextAttempt: kappa.AtPtr(r.NextAt), EndedAt: kappa.AtPtr(r.EndedAt), Data: r.Data, Key: key,
	}
	if r.AnswerStatus != nil {
		d.AnswerStatus = new(int(*r.AnswerStatus))
	}
	if r.TookMs != nil {
		d.TookMS = new(int(*r.TookMs))
	}
	if r.Answer != nil {
		d.Answer = *r.Answer
	}
	if r.Error != nil {
		d.Error = *r.Error
	}
	return d
}
