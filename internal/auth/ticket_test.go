package auth

import (
	"encoding/base64"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

const topic = "job_0123456789ab"

// newPrincipal logs the admin in and authenticates.
func newPrincipal(t *testing.T, s *service) access.Principal {
	t.Helper()
	_, token := newToken(t, s, "read:*")
	p, err := s.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// issue returns a ticket for topic.
func issue(t *testing.T, s *service, p access.Principal) string {
	t.Helper()
	ticket, err := s.IssueTicket(t.Context(), p, topic)
	if err != nil {
		t.Fatal(err)
	}
	return ticket.Ticket
}

// wantRefused fails unless a ticket is refused for topic.
func wantRefused(t *testing.T, s *service, ticket string) {
	t.Helper()
	_, err := s.RedeemTicket(t.Context(), ticket, topic)
	wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
}

func TestTicket(t *testing.T) {
	t.Run("it opens its stream once, for its principal", func(t *testing.T) {
		s, m := newService(t)
		p := newPrincipal(t, s)
		ticket, err := s.IssueTicket(t.Context(), p, topic)
		if err != nil || ticket.ExpiresIn != access.TicketSeconds {
			t.Fatalf("it ends after %d s, err %v", ticket.ExpiresIn, err)
		}
		if raw, err := base64.RawURLEncoding.DecodeString(ticket.Ticket); err != nil || len(raw) != 32 {
			t.Errorf("it has %d random bytes, err %v", len(raw), err)
		}
		if _, ok := m.tickets[string(hashSecret(ticket.Ticket))]; !ok || len(m.tickets) != 1 {
			t.Errorf("%d tickets are stored, and not by their hash", len(m.tickets))
		}
		got, err := s.RedeemTicket(t.Context(), ticket.Ticket, topic)
		if err != nil || got.User.ID != p.User.ID || got.ClientID != p.ClientID || got.TokenID != p.TokenID ||
			got.Generation != p.Generation || !got.ExpiresAt.Equal(p.ExpiresAt.Time) || got.InScope("x:write") {
			t.Errorf("it gives %+v, err %v, want %+v", got, err, p)
		}
		if err := s.Reexamine(t.Context(), got); err != nil {
			t.Errorf("its principal, examined again: %v", err)
		}
		wantRefused(t, s, ticket.Ticket)
	})

	t.Run("for another topic it is used up and refused", func(t *testing.T) {
		s, _ := newService(t)
		ticket := issue(t, s, newPrincipal(t, s))
		_, err := s.RedeemTicket(t.Context(), ticket, "events")
		wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
		wantRefused(t, s, ticket)
	})

	t.Run("what is no ticket is refused", func(t *testing.T) {
		s, m := newService(t)
		ticket := issue(t, s, newPrincipal(t, s))
		for _, text := range []string{"", "x", ticket + "x", ticket[:len(ticket)-1], ticket[1:] + "\x00"} {
			wantRefused(t, s, text)
		}
		m.err = errors.New("asked")
		wantRefused(t, s, ticket+ticket) // without a look at the database
	})

	t.Run("it ends after a minute", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, m := newService(t)
			p := newPrincipal(t, s)
			early, late := issue(t, s, p), issue(t, s, p)
			time.Sleep(ticketLife - time.Second)
			if _, err := s.RedeemTicket(t.Context(), early, topic); err != nil {
				t.Errorf("just before its end: %v", err)
			}
			if err := s.Purge(t.Context()); err != nil || len(m.tickets) != 1 {
				t.Errorf("%d tickets are left before their end, err %v", len(m.tickets), err)
			}
			time.Sleep(time.Second)
			wantRefused(t, s, late)
			issue(t, s, p)
			time.Sleep(ticketLife)
			if err := s.Purge(t.Context()); err != nil || len(m.tickets) != 0 {
				t.Errorf("%d tickets are left after their end, err %v", len(m.tickets), err)
			}
		})
	})

	t.Run("it ends with its token", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			p := newPrincipal(t, s)
			time.Sleep(time.Until(p.ExpiresAt.Time) - 5*time.Second)
			ticket, err := s.IssueTicket(t.Context(), p, topic)
			if err != nil || ticket.ExpiresIn != 5 {
				t.Errorf("it ends after %d s, err %v; want 5", ticket.ExpiresIn, err)
			}
			time.Sleep(5 * time.Second)
			wantRefused(t, s, ticket.Ticket)
			_, err = s.IssueTicket(t.Context(), p, topic)
			wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
		})
	})

	t.Run("it is refused when the clock of the database lags", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, m := newService(t)
			p := newPrincipal(t, s)
			ticket := issue(t, s, p)
			stored := m.tickets[string(hashSecret(ticket))]
			stored.expires = stored.expires.Add(24 * time.Hour)
			m.tickets[string(hashSecret(ticket))] = stored
			time.Sleep(time.Until(p.ExpiresAt.Time))
			wantRefused(t, s, ticket)
		})
	})

	t.Run("it is void like its token", func(t *testing.T) {
		s, m := newService(t)
		p := newPrincipal(t, s)
		revoked, disabled := issue(t, s, p), issue(t, s, p)
		m.users[p.User.ID].Disabled = true
		_, err := s.RedeemTicket(t.Context(), disabled, topic)
		wantError(t, err, kappa.CodeForbidden, "User account is disabled")
		m.users[p.User.ID].Disabled = false
		m.revoked[p.TokenID] = p.ExpiresAt.Time
		wantRefused(t, s, revoked)
	})

	t.Run("too many are refused with the time to wait", func(t *testing.T) {
		s, _ := newService(t)
		p := newPrincipal(t, s)
		for range access.MaxUserTickets {
			issue(t, s, p)
		}
		_, err := s.IssueTicket(t.Context(), p, topic)
		wantError(t, err, kappa.CodeRateLimited, "")
		if e, ok := errors.AsType[*kappa.Error](err); !ok || e.RetryAfter <= 0 {
			t.Errorf("%v says no time to wait", err)
		}
	})

	t.Run("a failing store is no refusal", func(t *testing.T) {
		s, m := newService(t)
		p := newPrincipal(t, s)
		ticket := issue(t, s, p)
		m.err = kappa.NewError(kappa.CodeUnavailable, "down")
		_, err := s.IssueTicket(t.Context(), p, topic)
		wantError(t, err, kappa.CodeUnavailable, "down")
		_, err = s.RedeemTicket(t.Context(), ticket, topic)
		wantError(t, err, kappa.CodeUnavailable, "down")
	})
}
