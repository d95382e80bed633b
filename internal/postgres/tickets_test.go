package postgres_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
)

const topic = "job_0123456789ab"

func ticketHash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// holder returns a principal of the admin's client one.
func holder(life time.Duration) access.Principal {
	return access.Principal{
		User: admin(), ClientID: "one", Scopes: []string{"read:*"},
		TokenID: "token", Generation: 1, ExpiresAt: kappa.At(time.Now().Add(life)),
	}
}

// addTicket stores a ticket of the admin for topic.
func addTicket(t *testing.T, s *postgres.DB, text string) {
	t.Helper()
	must(t, s.Tokens().AddTicket(t.Context(), ticketHash(text), topic, holder(time.Hour), access.MaxUserTickets))
}

// wantNoTicket fails unless a ticket is refused for topic.
func wantNoTicket(t *testing.T, s *postgres.DB, text string) {
	t.Helper()
	_, err := s.Tokens().RedeemTicket(t.Context(), ticketHash(text), topic)
	wantCode(t, err, kappa.CodeNotFound, "")
}

func TestRedeemTicket(t *testing.T) {
	t.Parallel()
	s, dsn := newAccounts(t)
	addClient(t, s, "one")
	left := func() int { return number(t, dsn, "SELECT count(*) FROM kg_api.stream_tickets") }

	t.Run("it returns whom it was made for, once", func(t *testing.T) {
		want := holder(time.Hour)
		must(t, s.Tokens().AddTicket(t.Context(), ticketHash("a"), topic, want, 1))
		got, err := s.Tokens().RedeemTicket(t.Context(), ticketHash("a"), topic)
		if err != nil || got.User.ID != want.User.ID || got.User.Role != want.User.Role || got.ClientID != want.ClientID || got.TokenID != want.TokenID ||
			got.Generation != want.Generation || !slices.Equal(got.Scopes, want.Scopes) || got.ExpiresAt.Sub(want.ExpiresAt.Time).Abs() > time.Millisecond {
			t.Errorf("got %+v, err %v, want %+v", got, err, want)
		}
		wantNoTicket(t, s, "a")
	})

	t.Run("for another topic it is used up and refused", func(t *testing.T) {
		addTicket(t, s, "b")
		_, err := s.Tokens().RedeemTicket(t.Context(), ticketHash("b"), "events")
		wantCode(t, err, kappa.CodeNotFound, "")
		wantNoTicket(t, s, "b")
		if n := left(); n != 0 {
			t.Errorf("%d tickets are left", n)
		}
	})

	t.Run("it lives a minute, and not longer than its token", func(t *testing.T) {
		addTicket(t, s, "long")
		must(t, s.Tokens().AddTicket(t.Context(), ticketHash("short"), topic, holder(5*time.Second), 10))
		for token, want := range map[time.Duration]int{time.Hour: access.TicketSeconds, 5 * time.Second: 5} {
			got := number(t, dsn, `SELECT round(extract(epoch FROM expires_at - now()))::int FROM kg_api.stream_tickets
				WHERE token_ends - now() < $1::interval ORDER BY token_ends DESC LIMIT 1`, token+time.Second)
			if got < want-2 || got > want {
				t.Errorf("with a token of %v it lives %d s, want %d", token, got, want)
			}
		}
		execSQL(t, dsn, "UPDATE kg_api.stream_tickets SET expires_at = now() WHERE ticket_hash = $1", ticketHash("long"))
		must(t, s.Tokens().PurgeTickets(t.Context()))
		if n := left(); n != 1 {
			t.Errorf("the purge left %d tickets, want 1", n)
		}
		execSQL(t, dsn, "UPDATE kg_api.stream_tickets SET expires_at = now()")
		wantNoTicket(t, s, "short")
	})

	t.Run("of another user's client it is refused", func(t *testing.T) {
		execSQL(t, dsn, "INSERT INTO kg_api.users (id, username, role) VALUES (1001, 'ada', 'contributor') ON CONFLICT DO NOTHING")
		addTicket(t, s, "c")
		execSQL(t, dsn, "UPDATE kg_api.oauth_clients SET user_id = 1001")
		wantNoTicket(t, s, "c")
		execSQL(t, dsn, "UPDATE kg_api.oauth_clients SET user_id = 1000")
	})

	t.Run("a disabled user is distinguished", func(t *testing.T) {
		addTicket(t, s, "d")
		alter(t, dsn, "UPDATE kg_api.users SET disabled = true WHERE id = 1000")
		if p, err := s.Tokens().RedeemTicket(t.Context(), ticketHash("d"), topic); err != nil || !p.User.Disabled {
			t.Errorf("got %+v, err %v", p, err)
		}
		alter(t, dsn, "UPDATE kg_api.users SET disabled = false WHERE id = 1000")
	})

	t.Run("it is void like its token", func(t *testing.T) {
		for i, void := range []func() error{
			func() error { return s.Tokens().RevokeToken(t.Context(), "token", time.Now().Add(time.Hour)) },
			func() error {
				execSQL(t, dsn, "DELETE FROM kg_api.revoked_tokens")
				_, err := s.Clients().RotateClient(t.Context(), access.AdminUserID, "one", []byte("new"))
				return err
			},
			func() error {
				execSQL(t, dsn, "UPDATE kg_api.oauth_clients SET generation = 1")
				return s.Clients().DeleteClient(t.Context(), access.AdminUserID, "one")
			},
		} {
			addTicket(t, s, fmt.Sprint("void ", i))
			must(t, void())
			wantNoTicket(t, s, fmt.Sprint("void ", i))
		}
	})

	t.Run("only a hash is stored", func(t *testing.T) {
		err := s.Tokens().AddTicket(t.Context(), []byte("the ticket itself, which has 43 characters."), topic, holder(time.Hour), 10)
		wantCode(t, err, kappa.CodeInternal, "")
	})
}

// TestTwoServersRedeemOneTicket has two servers present each ticket twice at the
// same moment.
func TestTwoServersRedeemOneTicket(t *testing.T) {
	t.Parallel()
	first, dsn := newAccounts(t)
	addClient(t, first, "one")
	second, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, AuthConns: 2})
	must(t, err)
	t.Cleanup(second.Close)
	servers := []*postgres.DB{first, second}
	for i := range 200 {
		text := fmt.Sprint(i)
		addTicket(t, first, text)
		var won atomic.Int64
		together(2*len(servers), func(n int) {
			_, err := servers[n%len(servers)].Tokens().RedeemTicket(t.Context(), ticketHash(text), topic)
			switch kappa.ErrorCode(err) {
			case "":
				won.Add(1)
			case kappa.CodeNotFound:
			default:
				t.Error(err)
			}
		})
		if won.Load() != 1 {
			t.Fatalf("ticket %d was redeemed %d times", i, won.Load())
		}
	}
}

func TestTicketLimit(t *testing.T) {
	t.Parallel()
	s, dsn := newAccounts(t)
	addClient(t, s, "one")
	const most = 3
	add := func(text string, userID int) error {
		p := holder(time.Hour)
		p.User.ID = userID
		return s.Tokens().AddTicket(t.Context(), ticketHash(text), topic, p, most)
	}
	for i := range most {
		must(t, add(fmt.Sprint(i), access.AdminUserID))
	}
	execSQL(t, dsn, "UPDATE kg_api.stream_tickets SET expires_at = now() + interval '20 seconds' WHERE ticket_hash = $1", ticketHash("1"))
	err := add("more", access.AdminUserID)
	wantCode(t, err, kappa.CodeRateLimited, "")
	if wait := retryAfter(err); wait <= 10*time.Second || wait > 20*time.Second {
		t.Errorf("there is room after %v, want about 20 s", wait)
	}
	must(t, add("of another", 1001))
	_, err = s.Tokens().RedeemTicket(t.Context(), ticketHash("0"), topic)
	must(t, err)
	must(t, add("in place of the used one", access.AdminUserID))
	wantCode(t, add("more", access.AdminUserID), kappa.CodeRateLimited, "")
	execSQL(t, dsn, "UPDATE kg_api.stream_tickets SET expires_at = now() WHERE ticket_hash = $1", ticketHash("1"))
	must(t, add("in place of the expired one", access.AdminUserID))
}

func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*kappa.Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
