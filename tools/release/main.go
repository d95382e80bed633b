// Command release makes the files of a release below a folder: archives, packages for Debian
// and for systems with RPM, an image for containers, a chart for Kubernetes, a list of what is in them, and their
// checksums. It is a module of its own, since the product needs none of its libraries.
//
// The same commit, version and toolchain give the same bytes: times in files are those of
// the commit, and nothing names the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// versionForm is that of Semantic Versioning, without what is built in it.
var versionForm = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z][0-9A-Za-z.-]*)?$`)

// release is what is made.
type release struct {
	root    string    // of the repository
	dist    string    // where files are put
	work    string    // what is made on the way
	version string    // as 0.1.0
	commit  string    // in full; "-dirty" behind it when files were changed
	date    time.Time // of the commit
	image   bool      // an image is made too
	targets []target
	kg      string // the program of a target that runs here, "" as long as none was built
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := release{}
	flag.StringVar(&r.root, "root", "../..", "the repository")
	flag.StringVar(&r.dist, "dist", "", "folder for the files (default: dist in the repository)")
	flag.StringVar(&r.version, "version", "", "version of the release, as 0.1.0")
	flag.BoolVar(&r.image, "image", false, "make the image for containers too: needs root, mmdebstrap and Debian's packages")
	only := flag.String("only", "", "targets, as linux/amd64,linux/arm64 (default: all)")
	flag.Parse()
	if err := r.prepare(ctx, *only, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
	if err := r.make(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// prepare checks what was asked for, and asks git for the commit.
func (r *release) prepare(ctx context.Context, only string, args []string) (err error) {
	if len(args) != 0 {
		return fmt.Errorf("no arguments are expected, got %q", args)
	}
	r.version = strings.TrimPrefix(r.version, "v")
	if !versionForm.MatchString(r.version) {
		return fmt.Errorf("the version must be like 0.1.0 or 0.2.0-rc.1, got %q: make release VERSION=0.1.0", r.version)
	}
	if r.targets, err = chosen(only); err != nil {
		return err
	}
	if r.root, err = filepath.Abs(r.root); err != nil {
		return err
	}
	if r.dist == "" {
		r.dist = filepath.Join(r.root, "dist")
	}
	if r.dist, err = filepath.Abs(r.dist); err != nil {
		return err
	}
	return r.askGit(ctx)
}

// askGit reads the commit and its date.
func (r *release) askGit(ctx context.Context) error {
	said, err := r.output(ctx, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	var seconds int64
	if _, err := fmt.Sscanf(said, "%s %d", &r.commit, &seconds); err != nil {
		return fmt.Errorf("read what git says of the commit, %q: %w", said, err)
	}
	r.date = time.Unix(seconds, 0).UTC()
	changed, err := r.output(ctx, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if changed != "" {
		r.commit += "-dirty"
		fmt.Fprintln(os.Stderr, "release: files differ from the commit; the release says so")
	}
	return nil
}

// make makes all files anew. What was there is removed only when all is made.
func (r *release) make(ctx context.Context) (err error) {
	if err := os.MkdirAll(filepath.Dir(r.dist), 0o755); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp(filepath.Dir(r.dist), ".release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	wanted := r.dist
	r.dist = filepath.Join(r.work, "dist")
	if err := os.Mkdir(r.dist, 0o755); err != nil {
		return err
	}
	if err := r.files(ctx); err != nil {
		return err
	}
	if err := sums(r.dist); err != nil {
		return err
	}
	if err := os.RemoveAll(wanted); err != nil {
		return err
	}
	return os.Rename(r.dist, wanted)
}

// files makes the files of each target.
func (r *release) files(ctx context.Context) error {
	common, err := r.common(ctx)
	if err != nil {
		return err
	}
	if err := r.chart(); err != nil {
		return err
	}
	for _, t := range r.targets {
		programs, err := r.build(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		modules, err := modulesOf(programs)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		licences, err := r.licences(ctx, modules)
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		steps := []func() error{
			func() error { return r.archive(t, programs, common, licences) },
			func() error { return r.bill(t, modules) },
		}
		if t.system == "linux" {
			steps = append(steps, func() error { return r.packages(ctx, t, programs, licences) })
			if r.image {
				steps = append(steps, func() error { return r.makeImage(ctx, t, programs, licences) })
			}
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return fmt.Errorf("%s: %w", t, err)
			}
		}
	}
	return nil
}
