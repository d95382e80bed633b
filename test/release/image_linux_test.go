package release

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// mostOfImage bounds the unpacked image: Debian, PostgreSQL, and 145 MB of ours.
const mostOfImage = 450 << 20

// TestImage_Slow makes the image for containers, unpacks it as a runtime would, and runs what
// its configuration says in namespaces.
func TestImage_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	asRoot(t)
	dist := filepath.Join(t.TempDir(), "dist")
	command(t, "make", "-C", "../..", "release", "VERSION=0.1.0", "IMAGE=1", "TARGETS=linux/amd64", "DIST="+dist)
	root, config := unpacked(t, filepath.Join(dist, "kappa-0.1.0-linux-amd64-oci.tar"))
	if size := command(t, "du", "-sb", root); len(size) < 2 || number(t, size) > mostOfImage {
		t.Errorf("the image has %s bytes, want at most %d", size, mostOfImage)
	}
	id, _, _ := strings.Cut(config.User, ":")
	args := append([]string{"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", "--no-new-privs", "--bounding-set=-all", "env", "KG_ADMIN_PASSWORD=correct horse battery"}, config.Env...)
	args = append(append(append(args, "KG_ADDR=127.0.0.1:0"), config.Entrypoint...), config.Cmd...)
	c := startContainer(t, root, args...)
	c.until(t, "test -s /var/lib/kappa/url")
	c.run(t, `echo "correct horse battery" | kg login -u admin --password-stdin --api-url "$(head -n 1 /var/lib/kappa/url)"
echo "A heron is a bird that eats fish." >/tmp/heron.md; kg ingest file /tmp/heron.md --ontology birds --wait`)
	if answer := c.run(t, `kg ask "What is a heron?"`); !strings.Contains(answer, "A heron is a bird that eats fish.") {
		t.Errorf("the answer is:\n%s", answer)
	}
	if version := c.run(t, "kg version"); !strings.Contains(version, "kg 0.1.0 ") || !strings.Contains(version, "DuckDB v") {
		t.Errorf("the version is:\n%s", version)
	}
}

// imageConfig is what an image says of how it is run.
type imageConfig struct {
	User                 string
	Env, Entrypoint, Cmd []string
}

// unpacked unpacks the layers of an image, and returns their folder and the configuration.
func unpacked(t *testing.T, image string) (string, imageConfig) {
	t.Helper()
	oci, root := t.TempDir(), t.TempDir()
	command(t, "tar", "-C", oci, "-xf", image)
	type descriptor struct{ Digest string }
	blob := func(d descriptor) string {
		return filepath.Join(oci, "blobs", strings.Replace(d.Digest, ":", "/", 1))
	}
	var index struct{ Manifests []descriptor }
	readJSON(t, filepath.Join(oci, "index.json"), &index)
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	readJSON(t, blob(index.Manifests[0]), &manifest)
	var config struct{ Config imageConfig }
	readJSON(t, blob(manifest.Config), &config)
	for _, layer := range manifest.Layers {
		command(t, "tar", "-C", root, "--numeric-owner", "-xpf", blob(layer))
	}
	return root, config.Config
}

func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	check(t, json.Unmarshal(text, to))
}

// number returns the number at the beginning of a text.
func number(t *testing.T, text string) (n int) {
	t.Helper()
	check(t, json.Unmarshal([]byte(strings.Fields(text)[0]), &n))
	return n
}
