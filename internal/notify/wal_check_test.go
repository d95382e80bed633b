package notify

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestCheckWAL(t *testing.T) {
	t.Parallel()
	pool := pgtest.NewPool(t)
	dsn := pool.Config().ConnString()

	t.Run("accepts a server that is set up, and leaves nothing", func(t *testing.T) {
		if err := CheckWAL(t.Context(), dsn+" target_session_attrs=read-write"); err != nil {
			t.Error(err)
		}
		eventually(t, pool, 2*walCloseWithin,
			"SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'kg-wal' AND datname = current_database()")
	})

	t.Run("names each setting that is wrong, and the remedy", func(t *testing.T) {
		for _, c := range []struct{ name, old, new, want string }{
			{"wal_level", "logical", "replica", "wal_level is replica; set wal_level = logical in postgresql.conf and restart PostgreSQL, or use KG_EVENTS=listen"},
			{"slots", "50\x00\x00\x00\x01t", "50\x00\x00\x00\x01f", "all 50 replication slots are in use; raise max_replication_slots"},
		} {
			other := newProxy(t, dsn, saying(c.old, c.new))
			if err := CheckWAL(t.Context(), other.DSN); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: got %v", c.name, err)
			}
		}
	})

	t.Run("says who may not replicate, and no password", func(t *testing.T) {
		role := "poor_" + pool.Config().ConnConfig.Database
		mustExec(t, pool, "CREATE ROLE "+role+" LOGIN PASSWORD 'geheim'")
		defer mustExec(t, pool, "DROP ROLE "+role)
		err := CheckWAL(t.Context(), strings.Replace(dsn, "user=kappa", "password=geheim user="+role, 1))
		if err == nil || !strings.Contains(err.Error(), "REPLICATION gives the privilege") || strings.Contains(err.Error(), "geheim") {
			t.Errorf("got %v", err)
		}
		if err := CheckWAL(t.Context(), "postgres://kappa:geheim@[/x"); err == nil || strings.Contains(err.Error(), "geheim") {
			t.Errorf("got %v", err)
		}
	})

	t.Run("says how to make the publication", func(t *testing.T) {
		const remedy = "CREATE PUBLICATION kg_events FOR TABLE kg_api.job_events WITH (publish = 'insert')"
		for _, sql := range []string{"ALTER PUBLICATION kg_events SET (publish = 'delete')", "DROP PUBLICATION kg_events"} {
			mustExec(t, pool, sql)
			if err := CheckWAL(t.Context(), dsn); err == nil || !strings.Contains(err.Error(), remedy) {
				t.Errorf("%s: got %v", sql, err)
			}
		}
		mustExec(t, pool, remedy)
		if err := CheckWAL(t.Context(), dsn); err != nil {
			t.Errorf("with the remedy: %v", err)
		}
	})
}

func TestWALProblem(t *testing.T) {
	for code, want := range map[string]string{
		"53300": "raise max_wal_senders",
		"53400": "raise max_replication_slots",
		"42704": "CREATE PUBLICATION",
		"42501": "REPLICATION gives the privilege",
	} {
		refused := fmt.Errorf("open: %w", &pgconn.PgError{Code: code, Message: "no"})
		got := walProblem(refused)
		if !strings.Contains(got.Error(), want) || !errors.Is(got, refused) {
			t.Errorf("%s: %v", code, got)
		}
	}
	if plain := errors.New("plain"); !errors.Is(walProblem(plain), plain) || walProblem(plain).Error() != "plain" {
		t.Error("another error is changed")
	}
}

// saying serves a connection on which the server says something else, of the
// same length.
func saying(said, instead string) func(p *proxy, client net.Conn) {
	return func(p *proxy, client net.Conn) {
		server, err := p.dial()
		if err != nil {
			return
		}
		p.running.Go(func() { p.forward(server, client) })
		defer server.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil {
				return
			}
			if _, err := client.Write(bytes.ReplaceAll(buffer[:n], []byte(said), []byte(instead))); err != nil {
				return
			}
		}
	}
}
