package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func newRelease(t *testing.T) *release {
	return &release{root: "../..", dist: t.TempDir(), work: t.TempDir(), version: "0.1.0", commit: "1234abcd", date: time.Unix(1795941966, 0).UTC()}
}

// TestPrepare refuses what is no version and no target, and reads the commit.
func TestPrepare(t *testing.T) {
	for _, c := range []struct{ version, only, fail string }{
		{"0.1.0", "", ""}, {"v1.20.3-rc.1", "linux/amd64,darwin/arm64", ""},
		{"", "", "the version must be like"}, {"1.2", "", "the version must be like"}, {"0.1.0 -X main.x=y", "", "the version must be like"}, {"01.2.3", "", "the version must be like"},
		{"0.1.0", "plan9/386", "no such target"},
	} {
		r := &release{root: "../..", version: c.version}
		err := r.prepare(t.Context(), c.only, nil)
		if c.fail == "" && (err != nil || len(r.commit) < 40 || r.date.IsZero() || !filepath.IsAbs(r.dist)) {
			t.Errorf("%v: %v, %+v", c, err, r)
		}
		if c.fail != "" && (err == nil || !strings.Contains(err.Error(), c.fail)) {
			t.Errorf("%v: got %v", c, err)
		}
	}
}

// TestArchive reads an archive back: one folder, programs that may be run, no trace of who
// made it, and the same bytes again.
func TestArchive(t *testing.T) {
	r := newRelease(t)
	program := filepath.Join(t.TempDir(), "kg")
	if err := os.WriteFile(program, []byte("program"), 0o700); err != nil {
		t.Fatal(err)
	}
	var made [][]byte
	for range 2 {
		if err := r.archive(all[0], []string{program}, map[string][]byte{"README.md": []byte("read me")}, map[string][]byte{"LICENSES/x@v1/LICENSE": []byte("MIT")}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(r.dist, "kappa-0.1.0-linux-amd64.tar.gz"))
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, text)
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the second archive differs from the first one")
	}
	zip, err := gzip.NewReader(bytes.NewReader(made[0]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for files := tar.NewReader(zip); ; {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, head.Name)
		if want := map[bool]int64{true: 0o755, false: 0o644}[strings.HasSuffix(head.Name, "/kg")]; head.Mode != want || head.Uid != 0 || head.Uname != "root" || !head.ModTime.Equal(r.date) {
			t.Errorf("%s has %+v", head.Name, head)
		}
	}
	const folder = "kappa-0.1.0-linux-amd64/"
	if want := []string{folder + "kg", folder + "LICENSES/x@v1/LICENSE", folder + "README.md"}; !slices.Equal(names, want) {
		t.Errorf("in it are %q, want %q", names, want)
	}
}

// TestLicences finds the licence of each module, that of a part in the module above it, and
// refuses a module without one.
func TestLicences(t *testing.T) {
	r := newRelease(t)
	const graph = "github.com/jackc/pgx/v5"
	dirs, err := r.moduleDirs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var is module
	for name := range dirs {
		if path, version, _ := strings.Cut(name, "@"); path == graph {
			is = module{path: path, version: version}
		}
	}
	files, err := r.licences(t.Context(), []module{is, {path: graph + "/part", version: "v1.0.0"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSES/" + graph + "@" + is.version + "/LICENSE", "LICENSES/" + graph + "/part@v1.0.0/LICENSE"} {
		if !bytes.Contains(files[name], []byte("Jack Christensen")) {
			t.Errorf("%s is %q", name, files[name])
		}
	}
	if !slices.ContainsFunc(keys(files), func(name string) bool { return strings.HasPrefix(name, "LICENSES/go1.") }) {
		t.Errorf("Go's own is not among %q", keys(files))
	}
	if _, err := r.licences(t.Context(), []module{{path: "example.com/x", version: "v1.0.0"}}); err == nil || !strings.Contains(err.Error(), "example.com/x@v1.0.0 has no licence file") {
		t.Errorf("a module without a licence: %v", err)
	}
}

func keys(files map[string][]byte) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	return names
}

// TestBill reads a bill of materials back.
func TestBill(t *testing.T) {
	r := newRelease(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	modules, err := modulesOf([]string{program, program})
	if err != nil || len(modules) < 3 {
		t.Fatalf("%v, %v", modules, err)
	}
	if err := r.bill(all[1], modules); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.dist, "kappa-0.1.0-linux-arm64.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bom struct {
		BomFormat    string
		SerialNumber string
		Metadata     struct{ Timestamp string }
		Components   []struct {
			Purl   string
			Hashes []struct{ Alg, Content string }
		}
		Dependencies []struct{ DependsOn []string }
	}
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	if bom.BomFormat != "CycloneDX" || bom.SerialNumber != "" || bom.Metadata.Timestamp != "2026-11-29T08:46:06Z" || len(bom.Components) != len(modules) || len(bom.Dependencies[0].DependsOn) != len(modules) {
		t.Errorf("%+v", bom)
	}
	for _, c := range bom.Components {
		if !strings.HasPrefix(c.Purl, "pkg:golang/") || len(c.Hashes) != 1 || len(c.Hashes[0].Content) != 64 {
			t.Errorf("%+v", c)
		}
	}
}

// TestSums writes checksums that sha256sum reads.
func TestSums(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := sums(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	const want = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n" +
		"3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d  b\n"
	if err != nil || string(text) != want {
		t.Errorf("%v, %s", err, text)
	}
}

// TestSettingsOfPackage has the data directory of the service in the settings of packages.
func TestSettingsOfPackage(t *testing.T) {
	r := newRelease(t)
	r.kg = "echo" // in place of completions
	made, err := r.packageFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if settings := string(made["/etc/kappa/kappa.env"]); !strings.Contains(settings, "\nKG_DATA_DIR=/var/lib/kappa\n") || !strings.Contains(settings, "\n#KG_ADDR=127.0.0.1:8000\n") {
		t.Errorf("the settings are:\n%s", settings)
	}
	if unit := string(made["/usr/lib/systemd/system/kappa.service"]); !strings.Contains(unit, "--config /etc/kappa/kappa.env") {
		t.Errorf("the unit is:\n%s", unit)
	}
}

// TestChart packs the chart twice: Chart.yaml is first, has the version of the release, and the
// bytes are the same.
func TestChart(t *testing.T) {
	r := newRelease(t)
	r.version = "1.2.3-rc.1"
	var made [2][]byte
	for i := range made {
		if err := r.chart(); err != nil {
			t.Fatal(err)
		}
		var err error
		if made[i], err = os.ReadFile(filepath.Join(r.dist, "kappa-1.2.3-rc.1.tgz")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("the second chart differs from the first one")
	}
	zip, err := gzip.NewReader(bytes.NewReader(made[0]))
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(zip)
	for first := true; ; first = false {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if first != (head.Name == "kappa/Chart.yaml") || head.Mode != 0o644 {
			t.Errorf("%s is there with the mode %o, first: %v", head.Name, head.Mode, first)
		}
		text, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		if first && !(strings.Contains(string(text), "\nversion: 1.2.3-rc.1\n") && strings.Contains(string(text), "\nappVersion: 1.2.3-rc.1\n")) {
			t.Errorf("Chart.yaml has\n%s", text)
		}
	}
}
