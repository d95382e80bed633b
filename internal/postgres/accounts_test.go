package postgres_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
)

// newAccounts returns a store with the account admin, and its address.
func newAccounts(t *testing.T) (*postgres.DB, string) {
	t.Helper()
	s, dsn := newStore(t)
	if created, err := s.Accounts().CreateFirstUser(t.Context(), admin(), "hash"); err != nil || !created {
		t.Fatalf("create the first account: %v, err %v", created, err)
	}
	return s, dsn
}

func admin() access.User {
	return access.User{ID: access.AdminUserID, Username: access.AdminUsername, Role: access.RolePlatformAdmin}
}

// addClient stores a client of the admin.
func addClient(t *testing.T, s *postgres.DB, id string) access.OAuthClient {
	t.Helper()
	c, err := s.Clients().CreateClient(t.Context(), access.OAuthClient{
		ClientID: id, UserID: access.AdminUserID, Name: "laptop", Scopes: []string{"read:*", "write:*"}, SecretHash: []byte("sha"),
	}, "", access.MaxUserClients)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// alter changes rows behind the store's back.
func alter(t *testing.T, dsn, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	tag, err := conn.Exec(t.Context(), sql)
	if err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s: changed %d rows, err %v", sql, tag.RowsAffected(), err)
	}
}

// wantCode checks the code of err and, unless it is "", its message.
func wantCode(t *testing.T, err error, code kappa.Code, message string) {
	t.Helper()
	if kappa.ErrorCode(err) != code || message != "" && kappa.ErrorMessage(err) != message {
		t.Errorf("got error %v with code %q, want code %q and message %q", err, kappa.ErrorCode(err), code, message)
	}
}

func TestCreateFirstUser(t *testing.T) {
	t.Run("of several servers one creates the account", func(t *testing.T) {
		s, dsn := newStore(t)
		if exist, err := s.Accounts().UsersExist(t.Context()); exist || err != nil {
			t.Fatalf("accounts exist: %v, err %v", exist, err)
		}
		first, err := pgx.Connect(t.Context(), dsn)
		must(t, err)
		defer first.Close(t.Context())
		watch, err := pgx.Connect(t.Context(), dsn)
		must(t, err)
		defer watch.Close(t.Context())
		tx, err := first.Begin(t.Context())
		must(t, err)
		_, err = tx.Exec(t.Context(), "INSERT INTO kg_api.users (id, username, role) VALUES (1000, 'admin', 'platform_admin')")
		must(t, err)

		type answer struct {
			created bool
			err     error
		}
		answers := make(chan answer, 1)
		go func() {
			created, err := s.Accounts().CreateFirstUser(t.Context(), admin(), "hash")
			answers <- answer{created, err}
		}()
		for waits := false; !waits; {
			must(t, watch.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock') FROM pg_sleep(0.01)`).Scan(&waits))
		}
		must(t, tx.Commit(t.Context()))
		if a := <-answers; a.created || a.err != nil {
			t.Errorf("the second server created: %v, err %v", a.created, a.err)
		}
		if exist, err := s.Accounts().UsersExist(t.Context()); !exist || err != nil {
			t.Errorf("accounts exist: %v, err %v", exist, err)
		}
	})

	t.Run("an account that was deleted does not come back", func(t *testing.T) {
		s, dsn := newAccounts(t)
		alter(t, dsn, "INSERT INTO kg_api.users (username, role) VALUES ('successor', 'platform_admin')")
		alter(t, dsn, "DELETE FROM kg_api.users WHERE id = 1000")
		if created, err := s.Accounts().CreateFirstUser(t.Context(), admin(), "hash"); created || err != nil {
			t.Errorf("created: %v, err %v", created, err)
		}
	})
}

func TestUsers(t *testing.T) {
	s, _ := newAccounts(t)
	u, hash, err := s.Accounts().UserByName(t.Context(), "ADMIN")
	if err != nil || hash != "hash" || u.ID != access.AdminUserID || u.Username != "admin" || u.Role != access.RolePlatformAdmin ||
		u.Disabled || u.LastLogin != nil || time.Since(u.CreatedAt.Time) > time.Hour {
		t.Errorf("read %+v with hash %q, err %v", u, hash, err)
	}
	if u, hash, err := s.Accounts().UserByName(t.Context(), "system"); err != nil || hash != "" || u.ID != access.SystemUserID || !u.Disabled {
		t.Errorf("read %+v with hash %q, err %v", u, hash, err)
	}
	_, _, err = s.Accounts().UserByName(t.Context(), "nobody")
	wantCode(t, err, kappa.CodeNotFound, "User not found")
	for _, name := range []string{"ad\x00min", "\xff"} {
		_, _, err = s.Accounts().UserByName(t.Context(), name)
		wantCode(t, err, kappa.CodeInvalid, "")
	}

	must(t, s.Accounts().SetPasswordHash(t.Context(), access.AdminUserID, "another"))
	must(t, s.Accounts().RecordLogin(t.Context(), access.User{ID: access.AdminUserID, Username: "admin"}, access.LoginRecord{}))
	if u, hash, err = s.Accounts().UserByName(t.Context(), "admin"); err != nil || hash != "another" || u.LastLogin == nil {
		t.Errorf("read %+v with hash %q, err %v", u, hash, err)
	}
	wantCode(t, s.Accounts().SetPasswordHash(t.Context(), 4711, "x"), kappa.CodeNotFound, "User not found")
}

func TestClients(t *testing.T) {
	s, _ := newAccounts(t)
	made := addClient(t, s, "one")
	if made.ClientType != "confidential" || !slices.Equal(made.GrantTypes, []string{"client_credentials"}) || !made.Active ||
		made.UserID != access.AdminUserID || made.Generation != 1 || made.LastUsedAt != nil || made.CreatedAt.IsZero() {
		t.Errorf("made %+v", made)
	}
	c, u, err := s.Clients().Client(t.Context(), "one")
	if err != nil || u.ID != access.AdminUserID || c.Name != "laptop" || !bytes.Equal(c.SecretHash, []byte("sha")) ||
		!slices.Equal(c.Scopes, []string{"read:*", "write:*"}) {
		t.Errorf("read %+v of %+v, err %v", c, u, err)
	}
	addClient(t, s, "two")
	if list, err := s.Clients().Clients(t.Context(), access.AdminUserID); err != nil || len(list) != 2 || list[0].ClientID != "one" {
		t.Errorf("listed %+v, err %v", list, err)
	}
	if list, err := s.Clients().Clients(t.Context(), access.SystemUserID); err != nil || list == nil || len(list) != 0 {
		t.Errorf("listed %+v, err %v", list, err)
	}

	t.Run("an id is taken once", func(t *testing.T) {
		_, err := s.Clients().CreateClient(t.Context(), made, "", 50)
		wantCode(t, err, kappa.CodeConflict, "OAuth client 'one' already exists")
	})

	t.Run("a client needs a user", func(t *testing.T) {
		_, err := s.Clients().CreateClient(t.Context(), access.OAuthClient{ClientID: "x", UserID: 4711, Scopes: []string{}}, "", 50)
		wantCode(t, err, kappa.CodeNotFound, "User not found")
	})

	t.Run("a new secret begins a new generation", func(t *testing.T) {
		c, err := s.Clients().RotateClient(t.Context(), access.AdminUserID, "one", []byte("new"))
		if err != nil || c.Generation != 2 || !bytes.Equal(c.SecretHash, []byte("new")) {
			t.Errorf("rotated to %+v, err %v", c, err)
		}
		other, _, err := s.Clients().Client(t.Context(), "two")
		if err != nil || other.Generation != 1 || !bytes.Equal(other.SecretHash, []byte("sha")) {
			t.Errorf("the other client is %+v, err %v", other, err)
		}
	})

	t.Run("a client of another user is not there", func(t *testing.T) {
		_, err := s.Clients().RotateClient(t.Context(), access.SystemUserID, "one", []byte("new"))
		wantCode(t, err, kappa.CodeNotFound, "OAuth client 'one' not found")
		wantCode(t, s.Clients().DeleteClient(t.Context(), access.SystemUserID, "one"), kappa.CodeNotFound, "OAuth client 'one' not found")
	})

	t.Run("a deleted client is gone", func(t *testing.T) {
		must(t, s.Clients().DeleteClient(t.Context(), access.AdminUserID, "one"))
		_, _, err := s.Clients().Client(t.Context(), "one")
		wantCode(t, err, kappa.CodeNotFound, "OAuth client 'one' not found")
		wantCode(t, s.Clients().DeleteClient(t.Context(), access.AdminUserID, "one"), kappa.CodeNotFound, "")
	})
}

func TestClientLimit(t *testing.T) {
	const most = 3
	createFor := func(t *testing.T, s *postgres.DB, id, asks string, most int) error {
		_, err := s.Clients().CreateClient(t.Context(), access.OAuthClient{
			ClientID: id, UserID: access.AdminUserID, Scopes: []string{"read:*"}, SecretHash: []byte("sha"),
		}, asks, most)
		return err
	}
	create := func(t *testing.T, s *postgres.DB, id string) error { return createFor(t, s, id, "", most) }
	ids := func(t *testing.T, s *postgres.DB) []string {
		t.Helper()
		list, err := s.Clients().Clients(t.Context(), access.AdminUserID)
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]string, len(list))
		for i, c := range list {
			ids[i] = c.ClientID
		}
		return ids
	}

	t.Run("the client that asks never goes, however long it was unused", func(t *testing.T) {
		s, dsn := newAccounts(t)
		for _, id := range []string{"a", "b", "c"} {
			must(t, create(t, s, id))
			alter(t, dsn, "UPDATE kg_api.oauth_clients SET created_at = created_at - interval '1 hour'") // the first is the oldest
		}
		for _, id := range []string{"d", "e", "f"} {
			must(t, createFor(t, s, id, "a", most))
		}
		if got := ids(t, s); !slices.Contains(got, "a") || !slices.Contains(got, "f") || len(got) != most {
			t.Errorf("left %v, want a, f and one more", got)
		}
		must(t, createFor(t, s, "g", "a", 2))
		if got := ids(t, s); !slices.Equal(got, []string{"a", "g"}) {
			t.Errorf("left %v, want a and g", got)
		}
		wantCode(t, createFor(t, s, "h", "a", 1), kappa.CodeConflict, "An account has at most 1 clients; delete one first")
		if got := ids(t, s); !slices.Equal(got, []string{"a", "g"}) {
			t.Errorf("left %v, want a and g", got)
		}
	})

	t.Run("the longest unused goes first, and never the new one", func(t *testing.T) {
		s, dsn := newAccounts(t)
		for _, id := range []string{"a", "b", "c"} {
			must(t, create(t, s, id))
		}
		must(t, s.Clients().TouchClient(t.Context(), "a", time.Minute))
		for _, step := range []struct {
			id   string
			want []string
		}{{"d", []string{"a", "c", "d"}}, {"e", []string{"a", "d", "e"}}, {"f", []string{"d", "e", "f"}}} {
			must(t, create(t, s, step.id))
			if got := ids(t, s); !slices.Equal(got, step.want) {
				t.Errorf("after %s there are %v, want %v", step.id, got, step.want)
			}
		}
		alter(t, dsn, "UPDATE kg_api.oauth_clients SET created_at = created_at + interval '1 hour', last_used_at = NULL")
		must(t, create(t, s, "g"))
		if got := ids(t, s); !slices.Contains(got, "g") || len(got) != most {
			t.Errorf("there are %v, want g among %d", got, most)
		}
	})

	t.Run("it is exact when many log in at once", func(t *testing.T) {
		s, _ := newAccounts(t)
		together(20, func(i int) {
			if err := create(t, s, fmt.Sprintf("client-%d", i)); err != nil {
				t.Error(err)
			}
		})
		if got := ids(t, s); len(got) != most {
			t.Errorf("there are %d clients, want %d", len(got), most)
		}
	})
}

func TestTouchClient(t *testing.T) {
	s, dsn := newAccounts(t)
	addClient(t, s, "one")
	used := func() time.Time {
		c, _, err := s.Clients().Client(t.Context(), "one")
		if err != nil || c.LastUsedAt == nil {
			t.Fatalf("read %+v, err %v", c, err)
		}
		return c.LastUsedAt.Time
	}
	touch := func() {
		must(t, s.Clients().TouchClient(t.Context(), "one", time.Minute))
	}
	touch()
	first := used()
	touch()
	if again := used(); !again.Equal(first) {
		t.Errorf("written twice in a minute, at %v and %v", first, again)
	}
	alter(t, dsn, "UPDATE kg_api.oauth_clients SET last_used_at = last_used_at - interval '1 minute'")
	touch()
	if again := used(); !again.After(first) {
		t.Errorf("not written after a minute: %v, then %v", first, again)
	}
}

func TestTokenUser(t *testing.T) {
	s, dsn := newAccounts(t)
	addClient(t, s, "one")
	refused := func(t *testing.T, clientID string, generation int, tokenID string) {
		t.Helper()
		_, _, err := s.Tokens().TokenUser(t.Context(), clientID, generation, tokenID)
		wantCode(t, err, kappa.CodeNotFound, "")
	}
	u, _, err := s.Tokens().TokenUser(t.Context(), "one", 1, "good")
	if err != nil || u.ID != access.AdminUserID || u.Username != "admin" || u.Disabled {
		t.Errorf("acts for %+v, err %v", u, err)
	}
	refused(t, "two", 1, "good")
	refused(t, "one", 2, "good")

	t.Run("a revoked token is refused, others are not", func(t *testing.T) {
		for range 2 {
			must(t, s.Tokens().RevokeToken(t.Context(), "bad", time.Now().Add(time.Hour)))
		}
		refused(t, "one", 1, "bad")
		if _, _, err := s.Tokens().TokenUser(t.Context(), "one", 1, "good"); err != nil {
			t.Error(err)
		}
	})

	t.Run("a disabled user is distinguished", func(t *testing.T) {
		alter(t, dsn, "UPDATE kg_api.users SET disabled = true WHERE id = 1000")
		if u, _, err := s.Tokens().TokenUser(t.Context(), "one", 1, "good"); err != nil || !u.Disabled {
			t.Errorf("acts for %+v, err %v", u, err)
		}
	})

	t.Run("a new secret voids the tokens of the old one", func(t *testing.T) {
		if _, err := s.Clients().RotateClient(t.Context(), access.AdminUserID, "one", []byte("new")); err != nil {
			t.Fatal(err)
		}
		refused(t, "one", 1, "good")
	})

	t.Run("a user takes its clients along", func(t *testing.T) {
		alter(t, dsn, "DELETE FROM kg_api.users WHERE id = 1000")
		refused(t, "one", 2, "good")
	})
}

func TestPurgeRevokedTokens(t *testing.T) {
	s, dsn := newAccounts(t)
	for id, life := range map[string]time.Duration{"expired": -time.Second, "alive": time.Hour} {
		must(t, s.Tokens().RevokeToken(t.Context(), id, time.Now().Add(life)))
	}
	must(t, s.Tokens().PurgeRevokedTokens(t.Context()))
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer conn.Close(t.Context())
	var left []string
	must(t, conn.QueryRow(t.Context(), "SELECT array_agg(token_id) FROM kg_api.revoked_tokens").Scan(&left))
	if !slices.Equal(left, []string{"alive"}) {
		t.Errorf("left over are %v", left)
	}
}

func TestEnsureSecret(t *testing.T) {
	s, _ := newAccounts(t)
	got := make([][]byte, 5)
	together(len(got), func(i int) {
		var err error
		if got[i], err = s.Tokens().EnsureSecret(t.Context(), "key", fmt.Appendf(nil, "value %d", i)); err != nil {
			t.Error(err)
		}
	})
	for _, value := range got {
		if len(value) == 0 || !bytes.Equal(value, got[0]) {
			t.Errorf("servers got %q and %q, want the same", got[0], value)
		}
	}
	other, err := s.Tokens().EnsureSecret(t.Context(), "other", []byte("its own"))
	if err != nil || string(other) != "its own" {
		t.Errorf("another name got %q, err %v", other, err)
	}
}
