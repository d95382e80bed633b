package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func TestNewPool(t *testing.T) {
	begin := time.Now()
	pool := NewPool(t)
	t.Logf("first database after %s", time.Since(begin))
	if _, err := pool.Exec(t.Context(), "CREATE TABLE mine (n int)"); err != nil {
		t.Fatal(err)
	}

	t.Run("databases do not see each other", func(t *testing.T) {
		begin := time.Now()
		other := NewPool(t)
		t.Logf("next database after %s", time.Since(begin))
		var table *string
		if err := other.QueryRow(t.Context(), "SELECT to_regclass('mine')::text").Scan(&table); err != nil {
			t.Fatal(err)
		}
		if table != nil {
			t.Errorf("found the table of another test: %s", *table)
		}
	})

	t.Run("the migrations are applied", func(t *testing.T) {
		var applied int
		err := pool.QueryRow(t.Context(), "SELECT count(*) FROM kg_api.schema_migrations WHERE version_id > 0").Scan(&applied)
		if err != nil || applied == 0 {
			t.Errorf("%d migrations applied, err %v", applied, err)
		}
	})

	t.Run("the database goes with its test, connections and slots too", func(t *testing.T) {
		var name string
		t.Run("use", func(t *testing.T) {
			conn, err := pgx.Connect(t.Context(), NewDSN(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.QueryRow(t.Context(), "SELECT current_database()").Scan(&name); err != nil {
				t.Fatal(err)
			}
			_, err = conn.Exec(t.Context(), "SELECT pg_create_logical_replication_slot(left(current_database(), 63), 'pgoutput')")
			if err != nil {
				t.Fatal(err)
			}
		})
		var left bool
		err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)
			OR EXISTS (SELECT FROM pg_replication_slots WHERE database = $1)`, name).Scan(&left)
		if err != nil || left {
			t.Errorf("database %s: left over %v, err %v", name, left, err)
		}
	})
}

func TestNewDSNAtOnce(t *testing.T) {
	for range 20 {
		t.Run("copies do not wait for each other", func(t *testing.T) {
			t.Parallel()
			conn, err := pgx.Connect(t.Context(), NewDSN(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDatabaseName(t *testing.T) {
	for test, want := range map[string]string{
		"TestClaim/two lanes, Größe":    "testclaim_two_lanes__gr__e_7",
		strings.Repeat("Long", 30):      strings.Repeat("long", 12) + "lo_7",
		"Test/a\"; DROP DATABASE kappa": "test_a___drop_database_kappa_7",
	} {
		if got := databaseName(test, 7); got != want {
			t.Errorf("%s: %s, want %s", test, got, want)
		}
	}
}

func TestRemoveAbandoned(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	abandoned := filepath.Join(base, fmt.Sprintf("%s%d-1", dirPrefix, ended.Process.Pid))
	used := filepath.Join(base, fmt.Sprintf("%s%d-1", dirPrefix, os.Getpid()))
	for _, dir := range []string{abandoned, used} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	removeAbandoned(base)
	if _, err := os.Stat(abandoned); !os.IsNotExist(err) {
		t.Errorf("the abandoned directory is left: %v", err)
	}
	if _, err := os.Stat(used); err != nil {
		t.Errorf("the one in use is gone: %v", err)
	}
}
