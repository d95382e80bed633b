package webhooks

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// Status is what has become of a delivery.
type Status string

// The states of a delivery.
const (
	Pending   Status = "pending"   // it waits for its first or its next attempt
	Delivered Status = "delivered" // the receiver has answered 2xx
	Failed    Status = "failed"    // it was given up, and may be replayed
)

// Statuses returns all of them.
func Statuses() []Status { return []Status{Pending, Delivered, Failed} }

// MaxAnswer is how many bytes of an answer are kept.
const MaxAnswer = 1024

// Delivery is an event for one webhook.
type Delivery struct {
	ID           string          `json:"delivery_id" doc:"The header webhook-id, the same at every attempt"`
	Event        Event           `json:"event"`
	Status       Status          `json:"status"`
	HappenedAt   kappa.Time      `json:"happened_at"`
	Attempts     int             `json:"attempts"`
	AttemptedAt  *kappa.Time     `json:"attempted_at" doc:"The last attempt"`
	NextAttempt  *kappa.Time     `json:"next_attempt_at" doc:"null when it is over"`
	EndedAt      *kappa.Time     `json:"ended_at"`
	AnswerStatus *int            `json:"answer_status" doc:"Of the last answer"`
	Answer       string          `json:"answer" doc:"The first bytes of the last answer"`
	Error        string          `json:"error" doc:"Why the last attempt failed"`
	TookMS       *int            `json:"took_ms" doc:"How long the last attempt took"`
	Data         json.RawMessage `json:"data" doc:"What is told"`
	Key          Key             `json:"-"`
}

// Key is where a delivery is stored.
type Key struct {
	Seq int64
	Tag int32
}

// ID returns the id of a delivery, as receivers see it.
func (k Key) ID() string { return fmt.Sprintf("msg_%d_%08x", k.Seq, uint32(k.Tag)) }

var deliveryPattern = regexp.MustCompile(`^msg_([1-9][0-9]{0,17})_([0-7][0-9a-f]{7})$`)

// ParseKey reads the id of a delivery; false: it has not the form of one.
func ParseKey(id string) (Key, bool) {
	parts := deliveryPattern.FindStringSubmatch(id)
	if parts == nil {
		return Key{}, false
	}
	seq, err := strconv.ParseInt(parts[1], 10, 64)
	tag, err2 := strconv.ParseUint(parts[2], 16, 32)
	if err != nil || err2 != nil || tag > math.MaxInt32 {
		return Key{}, false
	}
	return Key{seq, int32(tag)}, true
}

// The limits of a page of deliveries.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// Filter selects deliveries of a webhook.
type Filter struct {
	Status Status
	Event  Event
	Limit  int
	Cursor string
}

// Validate reports every rule that f breaks.
func (f Filter) Validate() error {
	var r check.Rules
	if f.Status != "" {
		r.Add("query", "status", check.OneOf(f.Status, Statuses()...))
	}
	if f.Event != "" {
		r.Add("query", "event", check.OneOf(f.Event, Events()...))
	}
	r.Add("query", "limit", check.Range(f.Limit, 1, MaxLimit))
	r.Add("query", "cursor", check.Cursor(kappa.ListDeliveries, f.Cursor, kappa.DeliveryKeys, 0))
	return r.Err()
}

// Place returns where d is in the list.
func (d Delivery) Place() kappa.Cursor {
	return kappa.Cursor{List: kappa.ListDeliveries, Keys: []int64{d.Key.Seq}}
}

// Message is a delivery that a server has to send, before its lease ends.
type Message struct {
	WebhookID string
	URL       string
	Key       Key
	Event     Event
	Data      json.RawMessage
	At        time.Time // when it happened
	Attempt   int       // counted from 1
	Lease     time.Time // which names the claim
}

// Result is how an attempt has ended.
type Result struct {
	OK           bool
	Gone         bool          // the receiver wants no more: 410
	AnswerStatus int           // 0: there was no answer
	Answer       string        // its first bytes
	Error        string        // why it failed; "" when it has not
	RetryAfter   time.Duration // what the receiver asked for
	Took         time.Duration
}

// Settled is a message with how its attempt has ended and what becomes of it.
type Settled struct {
	Message
	Result
	Status Status
	Wait   time.Duration // until the next attempt, of a pending one
}

// Disabled is a webhook that was disabled because of its answers.
type Disabled struct{ ID, URL, Reason string }

// Settle returns what becomes of a message after an attempt. random is in [0, 1).
func Settle(m Message, r Result, random float64) Settled {
	s := Settled{Message: m, Result: r, Status: Delivered}
	if r.OK {
		return s
	}
	wait, again := Wait(m.Attempt, r.RetryAfter, random)
	if !again {
		s.Status = Failed
		return s
	}
	s.Status, s.Wait = Pending, wait
	return s
}

// CheckSince returns CodeInvalid for a moment since which nothing can be replayed.
func CheckSince(t kappa.Time) error {
	if rule := check.Instant(t); rule != "" {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: "since", Rule: rule})
	}
	return nil
}
