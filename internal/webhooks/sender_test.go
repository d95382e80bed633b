package webhooks

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	nethttp "net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/kappagraph/kappa/webhooks"
)

// plainVault keeps secrets as they are, but for those of a key that it has not.
type plainVault struct{}

func (plainVault) Seal(_, value string) (string, []byte, error) { return "here", []byte(value), nil }

func (plainVault) Open(row, keyID string, sealed []byte) (string, error) {
	if keyID != "here" || row != "webhook w" {
		return "", errors.New("another key")
	}
	return string(sealed), nil
}

// fakeQueue gives messages, and keeps what has become of them.
type fakeQueue struct {
	mu      sync.Mutex
	none    bool // no webhook is enabled
	waiting []webhooks.Message
	settled []webhooks.Settled
	looks   int
	fails   int // exchanges, before one goes well
	keyID   string
}

const testSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func (q *fakeQueue) AnyWebhook(context.Context) (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.looks++
	return !q.none, nil
}

func (q *fakeQueue) Exchange(_ context.Context, ended []webhooks.Settled, slots int, _ time.Duration) (taken []webhooks.Message, _ []webhooks.Disabled, _ error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fails > 0 {
		q.fails--
		return nil, nil, errors.New("the database is away")
	}
	q.settled = append(q.settled, ended...)
	n := min(slots, len(q.waiting))
	taken, q.waiting = q.waiting[:n], q.waiting[n:]
	return taken, nil, nil
}

func (q *fakeQueue) WebhookSecrets(_ context.Context, ids []string) (map[string][]webhooks.SealedSecret, error) {
	found := map[string][]webhooks.SealedSecret{}
	for _, id := range ids {
		found[id] = []webhooks.SealedSecret{{WebhookID: id, KeyID: q.keyID, Sealed: []byte(testSecret)}}
	}
	return found, nil
}

func (q *fakeQueue) ends() []webhooks.Settled {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]webhooks.Settled{}, q.settled...)
}

func message(n int64) webhooks.Message {
	return webhooks.Message{WebhookID: "w", URL: "https://example.com", Key: webhooks.Key{Seq: n}, Event: webhooks.JobCompleted, Data: json.RawMessage(`{}`), Attempt: 1}
}

// sending runs a Sender in fake time, and returns what stops it.
func sending(t *testing.T, q *fakeQueue, post Post) (s *Sender, stop func()) {
	t.Helper()
	if q.keyID == "" {
		q.keyID = "here"
	}
	s = NewSender(SenderConfig{Queue: q, Vault: plainVault{}, Post: post, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	}()
	return s, func() {
		cancel()
		<-done
	}
}

func answers(status int) Post {
	return func(context.Context, string, nethttp.Header, []byte, int64) (Answer, error) {
		return Answer{Status: status, Header: nethttp.Header{}, Text: []byte("text")}, nil
	}
}

func hangs(ctx context.Context, _ string, _ nethttp.Header, _ []byte, _ int64) (Answer, error) {
	<-ctx.Done()
	return Answer{}, ctx.Err()
}

func TestSender(t *testing.T) {
	t.Run("what is sent verifies, and its end is stored", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &fakeQueue{}
			for n := range int64(20) {
				q.waiting = append(q.waiting, message(n+1))
			}
			verifier, err := standard.NewWebhook(testSecret)
			if err != nil {
				t.Fatal(err)
			}
			s, stop := sending(t, q, func(_ context.Context, _ string, header nethttp.Header, body []byte, _ int64) (Answer, error) {
				if err := verifier.VerifyIgnoringTimestamp(body, header); err != nil || header.Get("Content-Type") != "application/json" {
					t.Errorf("%v %v", err, header)
				}
				return Answer{Status: 204}, nil
			})
			synctest.Wait()
			stop()
			if ends := q.ends(); len(ends) != 20 || ends[19].Status != webhooks.Delivered || s.Attempts()["delivered"] != 20 {
				t.Errorf("%d ends, %v", len(ends), s.Attempts())
			}
		})
	})
	t.Run("ends that cannot be stored are kept", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &fakeQueue{waiting: []webhooks.Message{message(1)}}
			away := make(chan struct{})
			_, stop := sending(t, q, func(context.Context, string, nethttp.Header, []byte, int64) (Answer, error) {
				q.mu.Lock()
				q.fails = 3
				q.mu.Unlock()
				close(away)
				return Answer{Status: 200}, nil
			})
			<-away
			time.Sleep(time.Minute) // fake time
			stop()
			if ends := q.ends(); len(ends) != 1 {
				t.Errorf("%d ends are stored, want 1", len(ends))
			}
		})
	})
	t.Run("attempts may end when the server stops", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &fakeQueue{waiting: []webhooks.Message{message(1)}}
			_, stop := sending(t, q, func(context.Context, string, nethttp.Header, []byte, int64) (Answer, error) {
				time.Sleep(drain - time.Second)
				return Answer{Status: 200}, nil
			})
			synctest.Wait()
			stop()
			if ends := q.ends(); len(ends) != 1 || ends[0].Status != webhooks.Delivered {
				t.Errorf("stored %v", ends)
			}
		})
	})
	t.Run("what a stop cuts off is no failure", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &fakeQueue{waiting: []webhooks.Message{message(1)}}
			_, stop := sending(t, q, hangs)
			synctest.Wait()
			began := time.Now()
			stop()
			if ends := q.ends(); len(ends) != 0 || time.Since(began) > drain+time.Second {
				t.Errorf("stored %v, stopped in %s", ends, time.Since(began))
			}
		})
	})
	t.Run("without a webhook it looks seldom, and at once when it is woken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &fakeQueue{none: true}
			s, stop := sending(t, q, answers(200))
			time.Sleep(time.Minute)
			q.mu.Lock()
			looks := q.looks
			q.none, q.waiting = false, []webhooks.Message{message(1)}
			q.mu.Unlock()
			if looks > 8 {
				t.Errorf("looked %d times in a minute", looks)
			}
			s.Wake()
			synctest.Wait()
			stop()
			if len(q.ends()) != 1 {
				t.Error("it was not woken")
			}
		})
	})
	t.Run("a secret of another key fails as an attempt, and says what to do", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			q := &fakeQueue{waiting: []webhooks.Message{message(1)}, keyID: "elsewhere"}
			_, stop := sending(t, q, answers(200))
			synctest.Wait()
			stop()
			if ends := q.ends(); len(ends) != 1 || ends[0].Status != webhooks.Pending || !strings.Contains(ends[0].Error, "KG_SECRETS_KEY_FILE") {
				t.Errorf("stored %+v", ends)
			}
		})
	})
}

func TestResultOf(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, c := range map[string]struct {
		status int
		after  string
		want   webhooks.Result
	}{
		"taken":                   {202, "", webhooks.Result{OK: true}},
		"a redirect":              {308, "", webhooks.Result{Error: "it answered with a redirect (308), which is not followed: give the webhook the address that it leads to"}},
		"gone":                    {410, "60", webhooks.Result{Gone: true, Error: "it answered 410 Gone: it wants no more"}},
		"an error":                {500, "", webhooks.Result{Error: "it answered 500 Internal Server Error"}},
		"too many":                {429, "120", webhooks.Result{Error: "it answered 429 Too Many Requests", RetryAfter: 2 * time.Minute}},
		"a date":                  {503, "Fri, 02 Jan 2026 03:05:05 GMT", webhooks.Result{Error: "it answered 503 Service Unavailable", RetryAfter: time.Minute}},
		"a time that makes none":  {503, "soon", webhooks.Result{Error: "it answered 503 Service Unavailable"}},
		"a time that has passed":  {503, "-5", webhooks.Result{Error: "it answered 503 Service Unavailable"}},
		"a status without a name": {599, "", webhooks.Result{Error: "it answered 599"}},
	} {
		c.want.AnswerStatus, c.want.Answer = c.status, "text"
		if got := resultOf(Answer{Status: c.status, Header: nethttp.Header{"Retry-After": {c.after}}, Text: []byte("text")}, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
