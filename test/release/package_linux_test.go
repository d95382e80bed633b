package release

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// mostExposed bounds what systemd-analyze security says of the service: 10 is without walls.
const mostExposed = 2.5

// serves succeeds when the service that was started last serves.
const serves = "journalctl -o cat _SYSTEMD_INVOCATION_ID=$(systemctl show -p InvocationID --value kappa) | grep 'serving on'"

// TestPackage_Slow installs the package on a fresh Debian as its users do, has the service
// read a document and answer, goes over to a newer version, and removes it.
func TestPackage_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	asRoot(t)
	first, second := debOf(t, "0.1.0"), debOf(t, "0.2.0")
	c := newContainer(t, append(walks(t), first, second)...)
	c.run(t, "apt-get update -qq")
	if out, err := c.try(t.Context(), "dpkg -i /root/"+filepath.Base(first)); err == nil || !strings.Contains(out, "kappa depends on postgresql-18 | postgresql-17 | postgresql-16 | postgresql-15") {
		t.Errorf("without PostgreSQL dpkg says: %v\n%s", err, out)
	}
	c.run(t, "apt-get -f install -y -qq --no-install-recommends")
	c.until(t, serves)
	hardened(t, c)
	c.run(t, "journalctl -u kappa -o cat | sed -n 's/.*with the password //p' | kg login -u admin --password-stdin --api-url http://127.0.0.1:8000")
	c.run(t, "kg ingest file /usr/share/common-licenses/GPL-3 --ontology licences --wait")
	const question = `kg ask --limit 1 "What is the source code of a work?"`
	answer := c.run(t, question)
	if !strings.Contains(answer, `The "source code" for a work means the preferred form of the work`) {
		t.Errorf("the answer is:\n%s", answer)
	}
	if doctor := c.run(t, "kg doctor"); !regexp.MustCompile(`(?m)^ok    datasets +DuckDB v`).MatchString(doctor) {
		t.Errorf("questions to datasets are not answered:\n%s", doctor)
	}

	walked(t, c)

	c.run(t, "echo KG_LOG_FORMAT=json >>/etc/kappa/kappa.env")
	c.run(t, "dpkg -i /root/"+filepath.Base(second))
	c.until(t, serves)
	if said := c.run(t, "kg version; kg doctor; journalctl -u kappa -o cat | tail -n 5"); !strings.Contains(said, "kg 0.2.0") || !strings.Contains(said, "ok    version         0.2.0") || !strings.Contains(said, `"level":"INFO"`) {
		t.Errorf("after the upgrade:\n%s", said)
	}
	if again := c.run(t, question); again != answer {
		t.Errorf("after the upgrade the answer is:\n%s", again)
	}
	removed(t, c, second, func() {
		if again := c.run(t, question); again != answer {
			t.Errorf("installed again, it answers:\n%s", again)
		}
	})
}

// hardened looks at the service as systemd runs it.
func hardened(t *testing.T, c *container) {
	t.Helper()
	if said := c.run(t, "systemd-analyze verify kappa.service"); said != "" {
		t.Errorf("systemd says of the unit:\n%s", said)
	}
	text := c.run(t, "systemd-analyze security --no-pager kappa.service")
	level := regexp.MustCompile(`Overall exposure level for kappa.service: ([0-9.]+)`).FindStringSubmatch(text)
	if level == nil {
		t.Fatalf("no exposure is in:\n%s", text)
	}
	t.Logf("exposure %s of 10", level[1])
	if is, err := strconv.ParseFloat(level[1], 64); err != nil || is > mostExposed {
		t.Errorf("the service is exposed to %s, want at most %v:\n%s", level[1], mostExposed, text)
	}
	if who := c.run(t, "stat -c '%U:%G %a %n' /etc/kappa/kappa.env /var/lib/kappa; ps -o user= -p $(systemctl show -p MainPID --value kappa) 2>/dev/null || stat -c %U /proc/$(systemctl show -p MainPID --value kappa)"); who != "root:kappa 640 /etc/kappa/kappa.env\nkappa:kappa 750 /var/lib/kappa\nkappa\n" {
		t.Errorf("rights are:\n%s", who)
	}
	log := c.run(t, "journalctl -u kappa -o cat")
	for _, part := range []string{"dataset workers start", "documents are read in processes of their own"} {
		line := regexp.MustCompile(`(?m)^.*` + part + `.*$`).FindString(log)
		inForce, _, _ := strings.Cut(line, "not_in_force")
		for _, wall := range []string{"own network namespace", "landlock", "seccomp"} {
			if !strings.Contains(inForce, wall) {
				t.Errorf("the unit keeps %s from its wall %q: %s", part, wall, line)
			}
		}
	}
}

// removed removes the package, which keeps its data, has it installed again, and purges it.
func removed(t *testing.T, c *container, deb string, installed func()) {
	t.Helper()
	c.run(t, "apt-get remove -y -qq kappa")
	c.refuses(t, "command -v kg", "systemctl is-active kappa", "grep -l '^Uid:.'$(id -u kappa)'[^0-9]' /proc/[0-9]*/status")
	c.run(t, "test -d /var/lib/kappa/postgres/data; test -e /etc/kappa/kappa.env")
	c.run(t, "dpkg -i /root/"+filepath.Base(deb))
	c.until(t, serves)
	installed()
	c.run(t, "apt-get purge -y -qq kappa")
	c.refuses(t, "test -e /var/lib/kappa", "test -e /etc/kappa", "systemctl cat kappa", "ls /etc/systemd/system/multi-user.target.wants/kappa.service")
}

// debOf makes the package of a version.
func debOf(t *testing.T, version string) string {
	t.Helper()
	dist := filepath.Join(t.TempDir(), "dist")
	command(t, "make", "-C", "../..", "release", "VERSION="+version, "TARGETS=linux/amd64", "DIST="+dist)
	return filepath.Join(dist, "kappa_"+version+"-1_amd64.deb")
}
