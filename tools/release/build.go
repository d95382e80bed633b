package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// target is a system that programs are built for.
type target struct {
	system, arch string
	compilers    []string // for C and C++, of this target; kg-data is left out where they are not here
}

func (t target) String() string { return t.system + "/" + t.arch }

// all are the targets of a release.
var all = []target{
	{"linux", "amd64", []string{"x86_64-linux-gnu-gcc", "x86_64-linux-gnu-g++"}},
	{"linux", "arm64", []string{"aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++"}},
	{"darwin", "arm64", nil},
}

// chosen returns the targets of a list with commas between; all for an empty one.
func chosen(only string) ([]target, error) {
	if only == "" {
		return all, nil
	}
	var list []target
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(t target) bool { return t.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no such target as %q, only %v", name, all)
		}
		list = append(list, all[i])
	}
	return list, nil
}

// build builds the programs of a target, and returns their paths.
func (r *release) build(ctx context.Context, t target) (programs []string, err error) {
	dir := filepath.Join(r.work, t.system+"-"+t.arch)
	stamp := fmt.Sprintf("-s -w -buildid= -X main.stampedVersion=%s -X main.stampedCommit=%s -X main.stampedDate=%s",
		r.version, r.commit, r.date.Format(time.RFC3339))
	kg := filepath.Join(dir, "kg")
	env := []string{"GOOS=" + t.system, "GOARCH=" + t.arch, "GOFLAGS=-trimpath -buildvcs=false", "GOAMD64=v1"}
	if err := r.run(ctx, append(env, "CGO_ENABLED=0"), "go", "build", "-tags", "nomsgpack", "-ldflags", stamp, "-o", kg, "./cmd/kg"); err != nil {
		return nil, err
	}
	programs = append(programs, kg)
	if t.here() {
		r.kg = kg
	}
	if !r.compilersFor(ctx, t) {
		fmt.Printf("%s: without kg-data, for whose C and C++ there is no compiler here\n", t)
		return programs, nil
	}
	data := filepath.Join(dir, "kg-data")
	env = append(env, "CGO_ENABLED=1", "CC="+t.compilers[0], "CXX="+t.compilers[1])
	// -Wl,--build-id=none: the linker's own would name the folder of the object files.
	if err := r.run(ctx, env, "go", "build", "-ldflags", "-s -w -buildid= -extldflags=-Wl,--build-id=none", "-o", data, "./cmd/kg-data"); err != nil {
		return nil, err
	}
	return append(programs, data), nil
}

// compilersFor reports whether C and C++ can be compiled for a target.
func (r *release) compilersFor(ctx context.Context, t target) bool {
	if t.compilers == nil {
		return false
	}
	for _, name := range t.compilers {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return ctx.Err() == nil
}

// run runs a command in the repository, whose output is shown when it fails.
func (r *release) run(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return nil
}

// output runs a command in the repository, and returns what it says.
func (r *release) output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = r.root
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, failure.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// common returns the files that all archives have, by their names there: what stands in the
// repository, and what kg says of itself.
func (r *release) common(ctx context.Context) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, path := range map[string]string{
		"LICENSE": "LICENSE", "NOTICE": "NOTICE", "README.md": "README.md", "CHANGELOG.md": "CHANGELOG.md",
		"deploy/kappa.service": "deploy/systemd/kappa.service", "deploy/kappa.env.example": "deploy/kappa.env.example",
		"deploy/nginx.conf": "deploy/nginx/kappa.conf", "deploy/Caddyfile": "deploy/caddy/Caddyfile",
		"deploy/kappa.rules.yml": "deploy/prometheus/kappa.rules.yml", "deploy/grafana.json": "deploy/grafana/kappa.json",
	} {
		text, err := os.ReadFile(filepath.Join(r.root, path))
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	if _, err := os.Stat(filepath.Join(r.root, "internal/http/console/dist/index.html")); err != nil {
		return nil, errors.Join(errors.New("the console is not built: make web, with Node 20 or newer"), err)
	}
	return files, ctx.Err()
}

// here reports whether programs of a target run on this machine.
func (t target) here() bool { return t.system == runtime.GOOS && t.arch == runtime.GOARCH }
