// Package setup tries tools/setup.sh on a bare machine.
package setup

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// onABareMachine has somebody without root ask for the setup, then root, and then root once
// more. Each says how it ended.
const onABareMachine = `
su user -c 'make setup'; echo "user: $?"
KG_SETUP=never make setup; echo "never: $?"
make setup >/dev/null; echo "root: $?"
gcc --version >/dev/null && g++ --version >/dev/null && ls /usr/lib/postgresql/*/bin/initdb && ls -A /var/lib/postgresql
make setup; echo "again: $?"`

// TestBareMachine_Slow runs the setup on a fresh Debian that has make, git and Go alone.
// make demo and make test are run there by hand: tools/bare.sh 'make demo'.
func TestBareMachine_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: only root can make a bare machine")
	}
	if _, err := exec.LookPath("mmdebstrap"); err != nil {
		t.Skip("NOT TESTED: there is no mmdebstrap to make a bare machine with: apt-get install mmdebstrap")
	}
	out, err := exec.CommandContext(t.Context(), "../../tools/bare.sh", onABareMachine).CombinedOutput()
	text := string(out)
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	user, rest, _ := strings.Cut(text, "user: ")
	if !strings.HasPrefix(rest, "2\n") || !strings.Contains(user, "ask an administrator for:\n  apt-get install -y --no-install-recommends postgresql") {
		t.Errorf("a user who may not install anything is told:\n%s", user)
	}
	never, rest, _ := strings.Cut(rest[2:], "never: ")
	if !strings.HasPrefix(rest, "0\n") || !strings.Contains(never, "missing: the programs of PostgreSQL 15 or newer and compilers for C and C++; KG_SETUP=never") {
		t.Errorf("who wants nothing installed is told:\n%s%s", never, rest)
	}
	if !strings.Contains(rest, "setup: installing postgresql gcc g++ libc6-dev, by: apt-get install") || !strings.Contains(rest, "/bin/initdb\n") {
		t.Errorf("root is told:\n%s", rest)
	}
	if strings.Contains(rest, "main") {
		t.Errorf("a cluster was made:\n%s", rest)
	}
	if _, again, _ := strings.Cut(rest, "root: 0\n"); strings.Contains(again, "setup: ") || !strings.Contains(again, "again: 0") {
		t.Errorf("the second time is not silent:\n%s", again)
	}
}
