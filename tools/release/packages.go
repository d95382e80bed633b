package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers itself
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	homepage   = "https://github.com/kappagraph/kappa"
	maintainer = "Kappa <https://github.com/kappagraph/kappa/issues>"
	summary    = "turns documents into a knowledge graph with sources"
	about      = summary + `
 Documents are read as jobs, each concept and each relationship can be traced
 to the quote that it was read in, and questions are answered with the passage
 that answers best. The server runs a private PostgreSQL, whose programs this
 package depends on, or uses the one of DATABASE_URL.`
)

// needs says what a package needs of a distribution.
type needs struct {
	depends    []string
	recommends []string // what kg-data needs: without it, questions to datasets are not answered
}

// inDebian: the programs of any PostgreSQL from 15 on; a distribution has one of them.
var inDebian = needs{
	depends:    []string{"passwd", "ca-certificates", "postgresql-18 | postgresql-17 | postgresql-16 | postgresql-15"},
	recommends: []string{"libc6 (>= 2.34)", "libstdc++6", "libgcc-s1"},
}

var inFedora = needs{
	depends:    []string{"shadow-utils", "ca-certificates", "postgresql-server >= 15"},
	recommends: []string{"glibc >= 2.34", "libstdc++", "libgcc"},
}

// packages writes the packages of a target.
func (r *release) packages(ctx context.Context, t target, programs []string, licences map[string][]byte) error {
	for _, kind := range []string{"deb", "rpm"} {
		if err := r.packageOf(ctx, kind, t, programs, licences); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// packageOf writes a package.
func (r *release) packageOf(ctx context.Context, kind string, t target, programs []string, licences map[string][]byte) (err error) {
	dir := filepath.Join(r.work, kind+"-"+t.arch)
	contents, err := r.contents(ctx, kind, dir, programs, licences)
	if err != nil {
		return err
	}
	needed := map[string]needs{"deb": inDebian, "rpm": inFedora}[kind]
	script := func(name string) string {
		return filepath.Join(r.root, "deploy", "package", name+"."+kind)
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "kappa", Arch: t.arch, Platform: t.system, Version: r.version, Release: "1", MTime: r.date,
		Section: "database", Priority: "optional", Maintainer: maintainer, Homepage: homepage, License: "MIT", Description: about,
		DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Depends: needed.depends, Recommends: needed.recommends, Contents: contents, Umask: 0o022,
			Scripts: nfpm.Scripts{PreInstall: script("preinst"), PostInstall: script("postinst"), PreRemove: script("prerm"), PostRemove: script("postrm")},
			Deb:     nfpm.Deb{Compression: "zstd"},
			RPM:     nfpm.RPM{BuildHost: "localhost", Group: "Applications/Databases", Summary: summary, Compression: "zstd"},
		},
	})
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(r.dist, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return packager.Package(info, file)
}

// contents makes the files of a package below dir, and says where they belong.
func (r *release) contents(ctx context.Context, kind, dir string, programs []string, licences map[string][]byte) (files.Contents, error) {
	made, err := r.packageFiles(ctx)
	if err != nil {
		return nil, err
	}
	for name, text := range licences {
		made["/usr/share/doc/kappa/"+name] = text
	}
	var list files.Contents
	for _, program := range programs {
		list = append(list, &files.Content{Source: program, Destination: "/usr/bin/" + filepath.Base(program), FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.date}})
	}
	for _, to := range slices.Sorted(maps.Keys(made)) {
		from := filepath.Join(dir, to)
		if err := os.MkdirAll(filepath.Dir(from), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(from, made[to], 0o644); err != nil {
			return nil, err
		}
		c := &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.date}}
		if strings.HasPrefix(to, "/etc/") { // settings may have passwords
			c.Type, c.FileInfo.Mode = files.TypeConfigNoReplace, 0o640
			if kind == "rpm" { // in Debian the group is made after the files, which postinst gives it
				c.FileInfo.Group = "kappa"
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// packageFiles returns the files of a package apart from programs and licences, by where
// they belong.
func (r *release) packageFiles(ctx context.Context) (map[string][]byte, error) {
	made := map[string][]byte{}
	doc := "/usr/share/doc/kappa/"
	for to, path := range map[string]string{
		doc + "copyright": "LICENSE", doc + "NOTICE": "NOTICE", doc + "README.md": "README.md", doc + "changelog.gz": "CHANGELOG.md",
		"/usr/lib/systemd/system/kappa.service": "deploy/systemd/kappa.service", "/etc/kappa/kappa.env": "deploy/kappa.env.example",
		doc + "examples/nginx.conf": "deploy/nginx/kappa.conf", doc + "examples/Caddyfile": "deploy/caddy/Caddyfile",
		doc + "examples/kappa.rules.yml": "deploy/prometheus/kappa.rules.yml", doc + "examples/grafana.json": "deploy/grafana/kappa.json",
	} {
		text, err := os.ReadFile(filepath.Join(r.root, path))
		if err != nil {
			return nil, err
		}
		made[to] = text
	}
	settings := made["/etc/kappa/kappa.env"]
	made["/etc/kappa/kappa.env"] = bytes.Replace(settings, []byte("\n#KG_DATA_DIR=\n"), []byte("\nKG_DATA_DIR=/var/lib/kappa\n"), 1)
	if bytes.Equal(settings, made["/etc/kappa/kappa.env"]) {
		return nil, errors.New("deploy/kappa.env.example has no line #KG_DATA_DIR=")
	}
	var err error
	if made[doc+"changelog.gz"], err = zipped(made[doc+"changelog.gz"]); err != nil {
		return nil, err
	}
	for shell, to := range map[string]string{
		"bash": "/usr/share/bash-completion/completions/kg", "zsh": "/usr/share/zsh/vendor-completions/_kg", "fish": "/usr/share/fish/vendor_completions.d/kg.fish",
	} {
		text, err := r.completion(ctx, shell)
		if err != nil {
			return nil, err
		}
		made[to] = text
	}
	return made, nil
}

// completion returns what completes commands in a shell, as kg of this machine writes it.
func (r *release) completion(ctx context.Context, shell string) ([]byte, error) {
	if r.kg == "" { // no target runs here
		r.kg = filepath.Join(r.work, "kg")
		if err := r.run(ctx, []string{"CGO_ENABLED=0"}, "go", "build", "-tags", "nomsgpack", "-o", r.kg, "./cmd/kg"); err != nil {
			return nil, err
		}
	}
	text, err := r.output(ctx, r.kg, "completion", shell)
	return []byte(text + "\n"), err
}

// zipped compresses text, always to the same bytes.
func zipped(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}
