package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/work"
)

// TestClusterOfAnOlderVersion goes over from the system's PostgreSQL to the one in
// KG_PG_BIN, as docs/running.md says: the files of the old cluster are refused and left
// as they are, and kg serve upgrade-postgres brings everything into a new one, accounts too,
// and keeps the old one. A dump does so as well.
func TestClusterOfAnOlderVersion(t *testing.T) {
	newer := os.Getenv("KG_PG_BIN")
	bin, old, err := pgembed.FindPrograms(t.Context(), "")
	if err != nil || newer == "" {
		t.Skip("NOT TESTED: needs the programs of two versions of PostgreSQL; make test-newest has them")
	}
	_, major, err := pgembed.FindPrograms(t.Context(), newer)
	check(t, err)
	if major <= old {
		t.Skipf("NOT TESTED: version %d in KG_PG_BIN is not newer than the system's %d", major, old)
	}
	programs, err := filepath.EvalSymlinks(filepath.Join(bin, "postgres"))
	check(t, err)
	bin = filepath.Dir(programs)
	dir := t.TempDir()
	check(t, os.Chmod(dir, 0o755)) // another user runs the cluster when this one is root
	data := filepath.Join(dir, "data")

	server := startChild(t, data, "KG_PG_BIN=")
	api := login(t, server.url)
	submitted, err := api.Documents.Submit(t.Context(), client.Document{Body: []byte(longText(60)), Filename: "long.txt", Ontology: "o", AutoApprove: true})
	check(t, err)
	await(t, api, submitted.JobID, work.StatusCompleted)
	dump := filepath.Join(dir, "kappa.dump")
	runPostgres(t, data, filepath.Join(bin, "pg_dump"), "-Fc", "-f", dump, "kappa")
	want, err := api.Graph.Stats(t.Context())
	check(t, err)
	check(t, server.stop())

	refused := exec.Command(os.Args[0], "serve", "--addr", "127.0.0.1:0", "--data-dir", data)
	refused.Env = append(os.Environ(), actAsKG+"=1", "DATABASE_URL=")
	out, err := refused.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "was made by PostgreSQL") || !strings.Contains(string(out), "kg serve upgrade-postgres") {
		t.Errorf("files of version %d, programs of %d: %v, %s", old, major, err, out)
	}
	upgraded := exec.Command(os.Args[0], "serve", "upgrade-postgres", "--data-dir", data)
	upgraded.Env = refused.Env
	out, err = upgraded.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("from version %d to %d", old, major)) {
		t.Fatalf("kg serve upgrade-postgres: %v, %s", err, out)
	}
	t.Logf("%s", out)
	server = startChild(t, data)
	api = login(t, server.url)
	moved, err := api.Graph.Stats(t.Context())
	check(t, err)
	submitted, err = api.Documents.Submit(t.Context(), client.Document{Body: []byte(longText(10)), Filename: "after.txt", Ontology: "o", AutoApprove: true})
	check(t, err)
	await(t, api, submitted.JobID, work.StatusCompleted)
	check(t, server.stop())
	if moved.Nodes != want.Nodes || moved.Relationships.Total != want.Relationships.Total {
		t.Errorf("after the upgrade %+v, before it %+v", moved, want)
	}
	if _, err := os.Stat(filepath.Join(data, "postgres", fmt.Sprintf("data-%d", old))); err != nil {
		t.Errorf("the old files are not kept: %v", err)
	}
	check(t, os.Rename(filepath.Join(data, "postgres"), filepath.Join(dir, "old")))

	server = startChild(t, data)
	runPostgres(t, data, filepath.Join(bin, "pg_restore"), "--clean", "--if-exists", "--single-transaction", "-d", "kappa", dump)
	check(t, server.stop())
	server = startChild(t, data)
	got, err := login(t, server.url).Graph.Stats(t.Context())
	check(t, err)
	check(t, server.stop())
	if got.Nodes != want.Nodes || got.Relationships.Total != want.Relationships.Total {
		t.Errorf("after the restore %+v, before the dump %+v", got, want)
	}
}

// runPostgres runs a program of PostgreSQL on the private cluster in a data directory.
func runPostgres(t *testing.T, dataDir, program string, args ...string) {
	t.Helper()
	pid, err := os.ReadFile(filepath.Join(dataDir, "postgres", "data", "postmaster.pid"))
	check(t, err)
	socket := strings.Split(string(pid), "\n")[4]
	cmd := exec.Command(program, slices.Concat([]string{"-h", socket, "-U", "kappa"}, args)...)
	cmd.Env = append(os.Environ(), "PGPASSFILE="+filepath.Join(dataDir, "postgres", "pgpass"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v, %s", program, err, out)
	}
}
