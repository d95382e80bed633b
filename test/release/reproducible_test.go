package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestReproducible_Slow makes a release twice, the second time in a clone in another folder:
// the checksums of all files are the same, and there is a file of each kind.
func TestReproducible_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	root, err := filepath.Abs("../..")
	check(t, err)
	clone := filepath.Join(t.TempDir(), "clone")
	command(t, "git", "clone", "-q", root, clone)
	// Pages of the console are built by Node, and no part of this.
	command(t, "make", "-C", root, "web")
	command(t, "cp", "-r", filepath.Join(root, "internal/http/console/dist"), filepath.Join(clone, "internal/http/console"))
	if changes := command(t, "git", "-C", root, "status", "--porcelain", "--untracked-files=no"); changes != "" {
		t.Skipf("NOT TESTED: files are changed, which a clone has not:\n%s", changes)
	}
	var lists []string
	for _, from := range []string{root, clone} {
		dist := filepath.Join(t.TempDir(), "dist")
		command(t, "go", "-C", filepath.Join(from, "tools/release"), "run", ".", "-root", from, "-version", "0.1.0", "-dist", dist, "-only", "linux/amd64")
		list, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
		check(t, err)
		lists = append(lists, string(list))
	}
	if lists[0] != lists[1] {
		t.Errorf("two releases of one commit differ:\n%s\n%s", lists[0], lists[1])
	}
	for _, name := range []string{"kappa-0.1.0-1.x86_64.rpm", "kappa-0.1.0-linux-amd64.cdx.json", "kappa-0.1.0-linux-amd64.tar.gz", "kappa_0.1.0-1_amd64.deb"} {
		if !strings.Contains(lists[0], "  "+name+"\n") {
			t.Errorf("there is no %s:\n%s", name, lists[0])
		}
	}
}
