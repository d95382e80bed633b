package pgembed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// withoutSecret is how somebody connects who knows the path of the socket alone.
func withoutSecret(c *Cluster) string {
	return fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable passfile=/dev/null", quoteDSN(c.socketDir), port, Superuser, Database)
}

// refusal connects and returns the SQLSTATE of what the server answers.
func refusal(t *testing.T, dsn string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err == nil {
		conn.Close(t.Context())
		return "accepted"
	}
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		t.Fatalf("the server did not answer: %v", err)
	}
	return refused.Code
}

// TestAccess tries what a process might that gets to the socket.
func TestAccess(t *testing.T) {
	t.Parallel()
	c := start(t, testConfig(filepath.Join(tempDir(t), "cluster")))
	t.Run("the socket's path alone is not enough", func(t *testing.T) {
		if got := refusal(t, withoutSecret(c)); got != wrongPassword {
			t.Errorf("got %s, want %s", got, wrongPassword)
		}
		if got := refusal(t, withoutSecret(c)+" password=kappa"); got != wrongPassword {
			t.Errorf("with a guessed password: %s, want %s", got, wrongPassword)
		}
	})
	t.Run("nor for replication, which reads everything", func(t *testing.T) {
		for _, kind := range []string{"database", "true"} {
			if got := refusal(t, withoutSecret(c)+" replication="+kind); got != wrongPassword {
				t.Errorf("replication=%s: %s, want %s", kind, got, wrongPassword)
			}
		}
	})
	t.Run("who knows the password gets in, for replication too", func(t *testing.T) {
		for _, more := range []string{"", " replication=database", " replication=true"} {
			if got := refusal(t, c.DSN(Database)+more); got != "accepted" {
				t.Errorf("%q: %s", more, got)
			}
		}
	})
	t.Run("another user does not get to the socket", func(t *testing.T) {
		nobody, ok := lookupAccount("nobody")
		if !ok || os.Geteuid() != 0 {
			t.Log("only root can become somebody else")
			return
		}
		if out := connectAs(t, nobody, c); !strings.Contains(out, "permission denied") {
			t.Errorf("nobody got to the socket: %s", out)
		}
	})
	t.Run("nor does the user of the process get in by being that one", func(t *testing.T) {
		uid, gid := ownerOfSocket(t, c)
		if out := connectAs(t, account{uid: uid, gid: gid}, c); !strings.Contains(out, wrongPassword) {
			t.Errorf("the user that runs postgres got in: %s", out)
		}
	})
	t.Run("the password is in no argument, no environment and no address", func(t *testing.T) {
		s, err := readSecret(c.cfg.secretFile())
		if err != nil {
			t.Fatal(err)
		}
		seen := c.DSN(Database)
		for _, pid := range append(childrenOf(t, c.process.cmd.Process.Pid), c.process.cmd.Process.Pid) {
			for _, name := range []string{"cmdline", "environ"} {
				text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name)) // it may have ended
				seen += string(text)
			}
		}
		log, err := os.ReadFile(c.log.file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(seen+string(log), string(s)) {
			t.Error("it is")
		}
	})
	t.Run("only its owner reads the file of the password", func(t *testing.T) {
		entry, err := os.Stat(c.cfg.secretFile())
		if err != nil || entry.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", entry, err)
		}
	})
}

// ownerOfSocket returns the user that postgres runs as.
func ownerOfSocket(t *testing.T, c *Cluster) (uid, gid int) {
	t.Helper()
	entry, err := os.Stat(filepath.Join(c.socketDir, ".s.PGSQL."+port))
	if err != nil {
		t.Fatal(err)
	}
	stat := entry.Sys().(*syscall.Stat_t)
	return int(stat.Uid), int(stat.Gid)
}

// childrenOf returns the processes that a process started, on Linux.
func childrenOf(t *testing.T, pid int) (children []int) {
	t.Helper()
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for field := range strings.FieldsSeq(string(text)) {
		var child int
		if _, err := fmt.Sscan(field, &child); err != nil {
			t.Fatal(err)
		}
		children = append(children, child)
	}
	return children
}

// connectAs connects without the password in a process of another user, and
// returns what it says.
func connectAs(t *testing.T, a account, c *Cluster) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if a.uid != os.Geteuid() {
		program = "/proc/self/exe" // its folder is closed to that user
	}
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = "/", []string{childRole + "=connect:" + withoutSecret(c)}, a.attributes()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// connectChild is what the process of connectAs does.
func connectChild(dsn string) int {
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		fmt.Println(err)
		return 0
	}
	defer conn.Close(context.Background())
	var user string
	err = conn.QueryRow(context.Background(), "SELECT current_user").Scan(&user)
	fmt.Println("connected as", user, err)
	return 0
}

func TestSocketIsClosedToOthers(t *testing.T) {
	t.Parallel()
	c := start(t, testConfig(newCluster(t)))
	for path, want := range map[string]os.FileMode{c.socketDir: 0o700, filepath.Join(c.socketDir, ".s.PGSQL."+port): 0o700} {
		entry, err := os.Stat(path)
		if err != nil || entry.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want mode %o", path, entry, err, want)
		}
	}
}
