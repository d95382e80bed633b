package pgembed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// made are clusters that were made once, by name. Most tests need one and are not about how
// it is made: a copy of its files takes a fifth of what initdb does.
var made sync.Map // of a name: *madeCluster

// madeCluster is a cluster that was stopped.
type madeCluster struct {
	once sync.Once
	dir  string
}

// copyOf returns a directory of this test's own with the cluster of a name, which the first
// test that asks for it makes in a directory, and stops.
func copyOf(t *testing.T, name string, build func(t *testing.T, dir string)) (dir string) {
	t.Helper()
	known, _ := made.LoadOrStore(name, new(madeCluster))
	m := known.(*madeCluster)
	m.once.Do(func() {
		dir := filepath.Join(madeDir, name)
		build(t, dir)
		m.dir = dir
	})
	if m.dir == "" {
		t.Fatalf("the cluster %s could not be made", name)
	}
	dir = filepath.Join(tempDir(t), "cluster")
	if out, err := exec.Command("cp", "-a", m.dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// newCluster returns the directory of a cluster that was started and stopped once.
func newCluster(t *testing.T) (dir string) {
	t.Helper()
	return copyOf(t, "new", upgrade)
}

// madeDir has the clusters that tests copy.
var madeDir string

// withMadeDir runs the tests while there is such a directory.
func withMadeDir(run func() int) int {
	dir, err := makeTempDir(memory())
	if err != nil {
		fmt.Fprintln(os.Stderr, "make a directory for clusters:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	madeDir = dir
	return run()
}
