package webhooks

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/webhooks"
)

const (
	// Within is how long an attempt may take.
	Within = 15 * time.Second

	slots     = 8                // attempts at once, of one webhook on all servers
	lease     = time.Minute      // after which another server sends what this one took
	poll      = time.Second      // while a webhook is enabled
	idlePoll  = 10 * time.Second // while none is
	drain     = 5 * time.Second  // for the attempts of a server that stops
	storeTime = 10 * time.Second // for one exchange
)

// vault encrypts secrets, and decrypts them.
type vault interface {
	Seal(row, value string) (keyID string, sealed []byte, err error)
	Open(row, keyID string, sealed []byte) (string, error)
}

// queue is what is to be sent; see postgres.WebhookStore.
type queue interface {
	AnyWebhook(ctx context.Context) (bool, error)
	Exchange(ctx context.Context, ended []webhooks.Settled, slots int, lease time.Duration) ([]webhooks.Message, []webhooks.Disabled, error)
	WebhookSecrets(ctx context.Context, ids []string) (map[string][]webhooks.SealedSecret, error)
}

// SenderConfig is what a Sender needs.
type SenderConfig struct {
	Queue queue
	Vault vault
	Post  Post
	Log   *slog.Logger
}

// Sender sends what waits. Every server may run one.
type Sender struct {
	cfg   SenderConfig
	wake  kappa.Waker
	sends sync.WaitGroup

	mu    sync.Mutex // guards ended
	ended []webhooks.Settled

	delivered, failed, givenUp atomic.Int64
}

// NewSender returns a Sender; Run makes it send.
func NewSender(cfg SenderConfig) *Sender {
	kappa.Require(cfg)
	return &Sender{cfg: cfg, wake: kappa.NewWaker()}
}

// Wake has the Sender look at once: for a webhook that was made, and for a replay.
func (s *Sender) Wake() { s.wake.Wake() }

// Attempts returns how many attempts of this process have ended, by how: "delivered", "failed",
// after which it is tried again, and "given_up".
func (s *Sender) Attempts() map[string]int64 {
	return map[string]int64{"delivered": s.delivered.Load(), "failed": s.failed.Load(), "given_up": s.givenUp.Load()}
}

// Run sends until ctx ends; it returns nil. Attempts that are under way may then end for some
// seconds. What has not ended by then, and what cannot be stored, is sent again by another server.
func (s *Sender) Run(ctx context.Context) error {
	sendCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	loop := kappa.Loop{Name: "sending to webhooks", Every: idlePoll, Wake: s.wake.C(), Log: s.cfg.Log}
	err := loop.RunPlanned(ctx, func(ctx context.Context) (time.Duration, error) { return s.runOnce(ctx, sendCtx) })
	hard := time.AfterFunc(drain, cancel)
	defer hard.Stop()
	s.sends.Wait()
	if ended := s.takeEnded(); len(ended) > 0 {
		lastCtx, done := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
		defer done()
		if _, err := s.exchange(lastCtx, ended, 0); err != nil {
			s.cfg.Log.WarnContext(ctx, "ends of deliveries not stored; they are sent again", "deliveries", len(ended), "err", err)
		}
	}
	return err
}

// runOnce stores what has ended, sends what is due, and returns how long until the next look.
func (s *Sender) runOnce(ctx, sendCtx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	ended := s.takeEnded()
	if len(ended) == 0 {
		if found, err := s.cfg.Queue.AnyWebhook(ctx); err != nil || !found {
			return idlePoll, err
		}
	}
	taken, err := s.exchange(ctx, ended, slots)
	if err != nil {
		s.giveBack(ended)
		return 0, err
	}
	return poll, s.send(ctx, sendCtx, taken)
}

// takeEnded returns the attempts whose ends are not stored.
func (s *Sender) takeEnded() []webhooks.Settled {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := s.ended
	s.ended = nil
	return ended
}

// giveBack keeps ends that could not be stored for the next look.
func (s *Sender) giveBack(ended []webhooks.Settled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(ended, s.ended...)
}

// exchange stores ends and takes what is due.
func (s *Sender) exchange(ctx context.Context, ended []webhooks.Settled, slots int) ([]webhooks.Message, error) {
	taken, disabled, err := s.cfg.Queue.Exchange(ctx, ended, slots, lease)
	for _, d := range disabled {
		s.cfg.Log.WarnContext(ctx, "webhook disabled", "webhook", d.ID, "host", hostOf(d.URL), "reason", d.Reason)
	}
	return taken, err
}

// send begins to send messages. What cannot be signed fails as an attempt.
func (s *Sender) send(ctx, sendCtx context.Context, messages []webhooks.Message) error {
	if len(messages) == 0 {
		return nil
	}
	known := map[string]bool{}
	var ids []string
	for _, m := range messages {
		if !known[m.WebhookID] {
			known[m.WebhookID], ids = true, append(ids, m.WebhookID)
		}
	}
	sealed, err := s.cfg.Queue.WebhookSecrets(ctx, ids)
	if err != nil {
		return err // the leases end, and they are taken again
	}
	type opening struct {
		secrets []string
		err     error
	}
	openings := map[string]opening{}
	for _, id := range ids {
		secrets, err := opened(s.cfg.Vault, sealed[id])
		openings[id] = opening{secrets, err}
	}
	for _, m := range messages {
		o := openings[m.WebhookID]
		if o.err != nil {
			s.end(ctx, m, webhooks.Result{Error: kappa.ErrorMessage(o.err)})
			continue
		}
		s.sends.Go(func() {
			r := attempt(sendCtx, s.cfg.Post, o.secrets, m)
			if !r.OK && sendCtx.Err() != nil {
				return // this server stops: it is no failure of the receiver
			}
			s.end(sendCtx, m, r)
		})
	}
	return nil
}

// end keeps how an attempt has ended until it is stored.
func (s *Sender) end(ctx context.Context, m webhooks.Message, r webhooks.Result) {
	settled := webhooks.Settle(m, r, rand.Float64())
	switch settled.Status {
	case webhooks.Delivered:
		s.delivered.Add(1)
	case webhooks.Failed:
		s.givenUp.Add(1)
		s.cfg.Log.WarnContext(ctx, "delivery given up", "webhook", m.WebhookID, "delivery", m.Key.ID(), "event", string(m.Event), "attempts", m.Attempt, "reason", r.Error)
	default:
		s.failed.Add(1)
		s.cfg.Log.DebugContext(ctx, "delivery failed", "webhook", m.WebhookID, "delivery", m.Key.ID(), "attempt", m.Attempt, "reason", r.Error, "retry_in", settled.Wait)
	}
	s.mu.Lock()
	s.ended = append(s.ended, settled)
	s.mu.Unlock()
	s.wake.Wake()
}

// hostOf returns where an address leads: the rest of it may be a secret of the receiver.
func hostOf(text string) string {
	if u, err := url.Parse(text); err == nil {
		return u.Host
	}
	return ""
}
