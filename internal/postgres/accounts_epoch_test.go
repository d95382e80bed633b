package postgres_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
)

// TestAccessEpoch does what can be done with accounts, one after the other on
// one database, and checks whether the epoch moves.
func TestAccessEpoch(t *testing.T) {
	t.Parallel()
	s, dsn := newAccounts(t)
	addClient(t, s, "one")
	addClient(t, s, "two")
	execSQL(t, dsn, "INSERT INTO kg_api.users (id, username, role) VALUES (1001, 'ada', 'contributor')")
	sql := func(text string) func() error {
		return func() error { alter(t, dsn, text); return nil }
	}
	create := func(id string, most int) func() error {
		return func() error {
			_, err := s.Clients().CreateClient(t.Context(), access.OAuthClient{
				ClientID: id, UserID: access.AdminUserID, Scopes: []string{"read:*"}, SecretHash: []byte("sha"),
			}, "", most)
			return err
		}
	}
	for _, c := range []struct {
		does  string
		do    func() error
		moves bool
	}{
		{"a login that makes a client", create("three", 10), false},
		{"the note of a login", func() error {
			return s.Accounts().RecordLogin(t.Context(), access.User{ID: access.AdminUserID, Username: "admin"}, access.LoginRecord{})
		}, false},
		{"the note of a client's use", func() error { return s.Clients().TouchClient(t.Context(), "one", 0) }, false},
		{"a new hash of a password", func() error { return s.Accounts().SetPasswordHash(t.Context(), access.AdminUserID, "again") }, false},
		{"another name of a user", sql("UPDATE kg_api.users SET username = 'ada-l' WHERE id = 1001"), false},
		{"a new user", sql("INSERT INTO kg_api.users (id, username, role) VALUES (1002, 'bob', 'read_only')"), false},
		{"a ticket", func() error {
			return s.Tokens().AddTicket(t.Context(), ticketHash("x"), topic, holder(time.Hour), 10)
		}, false},
		{"the use of a ticket", func() error {
			_, err := s.Tokens().RedeemTicket(t.Context(), ticketHash("x"), topic)
			return err
		}, false},
		{"a revoked token", func() error { return s.Tokens().RevokeToken(t.Context(), "a", time.Now().Add(time.Hour)) }, true},
		{"the same token again", func() error { return s.Tokens().RevokeToken(t.Context(), "a", time.Now().Add(time.Hour)) }, false},
		{"an expired token, forgotten", func() error {
			alter(t, dsn, "UPDATE kg_api.revoked_tokens SET expires_at = now() - interval '1 minute'")
			return s.Tokens().PurgeRevokedTokens(t.Context())
		}, false},
		{"a new secret of a client", func() error {
			_, err := s.Clients().RotateClient(t.Context(), access.AdminUserID, "one", []byte("new"))
			return err
		}, true},
		{"a deleted client", func() error { return s.Clients().DeleteClient(t.Context(), access.AdminUserID, "two") }, true},
		{"a login beyond the limit of clients", create("four", 2), true},
		{"fewer scopes of a client", sql("UPDATE kg_api.oauth_clients SET scopes = '{}' WHERE client_id = 'four'"), true},
		{"another role", sql("UPDATE kg_api.users SET role = 'read_only' WHERE id = 1001"), true},
		{"the same role", sql("UPDATE kg_api.users SET role = 'read_only' WHERE id = 1001"), false},
		{"a disabled user", sql("UPDATE kg_api.users SET disabled = true WHERE id = 1001"), true},
		{"one that is enabled again", sql("UPDATE kg_api.users SET disabled = false WHERE id = 1001"), false},
		{"a deleted user", sql("DELETE FROM kg_api.users WHERE id = 1001"), true},
		{"a deleted user with clients", sql("DELETE FROM kg_api.users WHERE id = 1000"), true},
	} {
		before := epoch(t, s)
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.does, err)
		}
		if after := epoch(t, s); after < before || (after != before) != c.moves {
			t.Errorf("%s: the epoch goes from %d to %d, moves: want %v", c.does, before, after, c.moves)
		}
	}
}

// TestAccessEpochMovesWithTheCommit reads the epoch while a right is taken,
// and when that is taken back.
func TestAccessEpochMovesWithTheCommit(t *testing.T) {
	t.Parallel()
	s, dsn := newAccounts(t)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	before := epoch(t, s)
	for end, moves := range map[string]bool{"ROLLBACK": false, "COMMIT": true} {
		_, err := conn.Exec(t.Context(), "BEGIN")
		must(t, err)
		_, err = conn.Exec(t.Context(), "UPDATE kg_api.users SET disabled = true WHERE id = 1000")
		must(t, err)
		if got := epoch(t, s); got != before {
			t.Errorf("before the %s the epoch goes from %d to %d", end, before, got)
		}
		_, err = conn.Exec(t.Context(), end)
		must(t, err)
		after := epoch(t, s)
		if (after != before) != moves {
			t.Errorf("after the %s the epoch goes from %d to %d", end, before, after)
		}
		before = after
	}
}

func epoch(t *testing.T, s *postgres.DB) int64 {
	t.Helper()
	n, err := s.Tokens().AccessEpoch(t.Context())
	must(t, err)
	return n
}
