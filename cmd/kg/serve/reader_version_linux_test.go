package serve

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestReaderVersion: two programs have two versions, the same one always the same, and what says
// nothing of itself is what it is called.
func TestReaderVersion(t *testing.T) {
	t.Parallel()
	other, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if other, err = filepath.EvalSymlinks(other); err != nil {
		t.Fatal(err)
	}
	own, theirs := readerVersion("", "1.2"), readerVersion(other, "1.2")
	if own == "1.2" || theirs == "1.2" || own == theirs || own != readerVersion("", "1.3") {
		t.Errorf("this program is %q, go is %q", own, theirs)
	}
	for _, bin := range []string{"/no-such-program", "/dev/null"} {
		if got := readerVersion(bin, "1.2"); got != "1.2" {
			t.Errorf("%s is %q", bin, got)
		}
	}
}
