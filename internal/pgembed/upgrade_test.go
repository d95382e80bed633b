package pgembed

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// oldRules are those that initdb wrote for earlier versions.
const oldRules = "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 reject\n"

// oldCluster returns a directory as earlier versions left it, which asked for no password,
// with a table in it.
func oldCluster(t *testing.T) (dir string) {
	t.Helper()
	return copyOf(t, "old", func(t *testing.T, dir string) {
		c := start(t, testConfig(dir))
		query(t, c, "CREATE TABLE kept (n int)")
		stop(t, c)
		reopen(t, dir)
	})
}

// reopen makes such a directory of one that asks for a password.
func reopen(t *testing.T, dir string) {
	t.Helper()
	c := start(t, testConfig(dir))
	query(t, c, "ALTER ROLE "+Superuser+" PASSWORD NULL")
	stop(t, c)
	remove(t, c.cfg.secretFile())
	overwrite(t, filepath.Join(c.cfg.dataDir(), rulesName), oldRules)
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// overwrite writes a file and leaves it to the owner of its directory.
func overwrite(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	owner, _, err := ownerOf(filepath.Dir(path))
	if err == nil {
		err = os.Chown(path, owner.uid, owner.gid)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkClosed starts the cluster and checks that it asks for a password, has
// kept its table, and has left nothing behind.
func checkClosed(t *testing.T, dir string) {
	t.Helper()
	c := start(t, testConfig(dir))
	if got := refusal(t, withoutSecret(c)); got != wrongPassword {
		t.Errorf("without a password: %s", got)
	}
	if got := query(t, c, "SELECT coalesce(to_regclass('kept')::text, '')"); got != "kept" {
		t.Error("the table is gone")
	}
	stop(t, c)
	text, err := os.ReadFile(filepath.Join(dir, "data", rulesName))
	if err != nil || string(text) != rules {
		t.Errorf("the rules are %q, %v", text, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	inData, _ := filepath.Glob(filepath.Join(dir, "data", "*.tmp"))
	if err != nil || len(left)+len(inData) > 0 {
		t.Errorf("left over: %v %v, %v", left, inData, err)
	}
}

// harms are what is done to a directory as earlier versions left it, by name.
type harms map[string]func(t *testing.T, dir string)

// TestUpgrade starts directories that a start has left at each of its steps when
// it was killed, and those that somebody has harmed: one of each kind.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	startHarmed(t, harms{
		"an old directory": func(*testing.T, string) {},
		"killed before PostgreSQL knew the password": func(t *testing.T, dir string) {
			newSecret(t, dir)
		},
		"the rules were lost": func(t *testing.T, dir string) {
			upgrade(t, dir)
			remove(t, filepath.Join(dir, "data", rulesName))
		},
	})
}

// TestUpgrade_Slow does the others.
func TestUpgrade_Slow(t *testing.T) {
	slowTier(t)
	t.Parallel()
	startHarmed(t, harms{
		"killed while it wrote the password": func(t *testing.T, dir string) {
			overwrite(t, filepath.Join(dir, secretName+".tmp"), secretPrefix)
		},
		"killed while it wrote the rules": func(t *testing.T, dir string) {
			upgrade(t, dir)
			overwrite(t, filepath.Join(dir, "data", rulesName), oldRules)
			overwrite(t, filepath.Join(dir, "data", rulesName+".tmp"), rules[:20])
		},
		"the rules were written, the password is not known": func(t *testing.T, dir string) {
			newSecret(t, dir)
			overwrite(t, filepath.Join(dir, "data", rulesName), rules)
		},
		"the rules are a link": func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "data", rulesName))
			if err := os.Symlink("/etc/passwd", filepath.Join(dir, "data", rulesName)); err != nil {
				t.Fatal(err)
			}
		},
		"the password was lost": func(t *testing.T, dir string) {
			upgrade(t, dir)
			remove(t, filepath.Join(dir, secretName))
		},
		"the password is another one's": func(t *testing.T, dir string) {
			upgrade(t, dir)
			newSecret(t, dir)
		},
		"the file of the password is empty": func(t *testing.T, dir string) {
			upgrade(t, dir)
			overwrite(t, filepath.Join(dir, secretName), "")
		},
		"the operator has changed the password": func(t *testing.T, dir string) {
			c := start(t, testConfig(dir))
			query(t, c, "ALTER ROLE "+Superuser+" PASSWORD 'guessed' VALID UNTIL 'yesterday'")
			stop(t, c)
		},
	})
}

// startHarmed starts each, and checks that the cluster is closed and kept what it had.
func startHarmed(t *testing.T, cases harms) {
	t.Helper()
	for name, harm := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := oldCluster(t)
			harm(t, dir)
			checkClosed(t, dir)
		})
	}
}

// newSecret writes a password that PostgreSQL does not know.
func newSecret(t *testing.T, dir string) {
	t.Helper()
	_ = os.Remove(filepath.Join(dir, secretName))
	if _, isNew, err := openSecret(testConfig(dir)); err != nil || !isNew {
		t.Fatalf("new %v, %v", isNew, err)
	}
}

// upgrade starts and stops the cluster.
func upgrade(t *testing.T, dir string) {
	t.Helper()
	stop(t, start(t, testConfig(dir)))
}

// TestReadableSecret has somebody open the file of the password to others, who
// may have read it since.
func TestReadableSecret(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	path := filepath.Join(dir, secretName)
	known, err := readSecret(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readSecret(path); !errors.Is(err, errNoSecret) {
		t.Errorf("what others can read is taken: %v", err)
	}
	c := start(t, testConfig(dir))
	if got := refusal(t, withoutSecret(c)+" password="+string(known)); got != wrongPassword {
		t.Errorf("the password that others know: %s", got)
	}
}

// TestUpgradeKilled kills the start of an old directory at three moments, and
// starts it again.
func TestUpgradeKilled(t *testing.T) {
	t.Parallel()
	upgradeKilled(t, 180*time.Millisecond)
}

// TestUpgradeKilled_Slow kills it at many.
func TestUpgradeKilled_Slow(t *testing.T) {
	slowTier(t)
	t.Parallel()
	upgradeKilled(t, 60*time.Millisecond)
}

func upgradeKilled(t *testing.T, step time.Duration) {
	t.Helper()
	dir := oldCluster(t)
	for after := time.Duration(0); after < 480*time.Millisecond; after += step {
		cmd := startChild(t, dir)
		time.Sleep(after)
		kill(cmd)
		if after%(180*time.Millisecond) == 0 { // else another kill meets what this one has left
			checkClosed(t, dir)
			reopen(t, dir)
		}
	}
	checkClosed(t, dir)
}

// TestSingleKilled kills the server while it gives PostgreSQL the password:
// before PostgreSQL has seen it, and when it has it.
func TestSingleKilled(t *testing.T) {
	t.Parallel()
	installed, _, err := FindPrograms(t.Context(), os.Getenv("KG_PG_BIN"))
	if err != nil {
		t.Fatal(err)
	}
	program := "'" + filepath.Join(installed, "postgres") + `' "$@"`
	for name, first := range map[string]string{"before": "true", "after": program} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := oldCluster(t)
			bin := fakePrograms(t, "", "exit 1")
			writeProgram(t, filepath.Join(bin, "postgres"),
				"#!/bin/sh\nif [ \"$1\" = --single ]; then "+first+"; touch \"$3/reached\"; exec sleep 60; fi\nexec "+program+"\n")
			cmd := startChild(t, dir, "KG_PG_BIN="+bin)
			reached := filepath.Join(dir, "data", "reached")
			err := poll(t.Context(), 20*time.Second, func() (bool, error) {
				_, err := os.Stat(reached)
				return err == nil, nil
			})
			kill(cmd)
			if err != nil {
				t.Fatalf("the start did not come so far: %v", err)
			}
			remove(t, reached)
			if _, err := readSecret(filepath.Join(dir, secretName)); err != nil {
				t.Error(err)
			}
			checkClosed(t, dir)
		})
	}
}

// startChild starts the cluster in a process of its own.
func startChild(t *testing.T, dir string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childRole+"=cluster:"+dir), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// kill kills what startChild has started.
func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestPasswordFails has PostgreSQL not take the password: nothing is started, and
// the error says why without the password.
func TestPasswordFails(t *testing.T) {
	t.Parallel()
	dir := newCluster(t)
	c := start(t, testConfig(dir))
	query(t, c, "CREATE ROLE other SUPERUSER LOGIN PASSWORD 'other'")
	conn, err := pgx.Connect(t.Context(), withoutSecret(c)+" user=other password=other")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "ALTER ROLE "+Superuser+" RENAME TO another"); err != nil {
		t.Error(err)
	}
	conn.Close(t.Context())
	stop(t, c)
	_, err = Start(t.Context(), testConfig(dir))
	if err == nil || !strings.Contains(err.Error(), `role "kappa" does not exist`) || strings.Contains(err.Error(), "SCRAM") {
		t.Errorf("got %v", err)
	}
}
