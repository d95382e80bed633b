package pgembed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// minMajor is the oldest major version that runs Kappa's schema.
const minMajor = 15

// OldestTested and NewestTested are the major versions between which the tests run.
const (
	OldestTested = minMajor
	NewestTested = 18
)

// ErrNoPrograms reports that PostgreSQL's programs are missing or too old. The
// error that wraps it says where they were searched and what to install.
var ErrNoPrograms = errors.New("PostgreSQL's programs were not found")

// programs is an installation of PostgreSQL.
type programs struct {
	dir   string // holds initdb and postgres
	major int
}

func (p programs) path(name string) string { return filepath.Join(p.dir, name) }

// findPrograms returns the installation to use: the one in binDir when that is
// set, otherwise the first found that is new enough. With want not zero it must
// be of that major version, because a data directory of that version exists.
func findPrograms(ctx context.Context, binDir string, want int) (programs, error) {
	dirs := searchDirs()
	if binDir != "" {
		dirs = []string{binDir}
	}
	var found []programs
	for _, dir := range dirs {
		p, err := inspect(ctx, dir)
		switch {
		case err == nil:
			found = append(found, p)
		case ctx.Err() != nil:
			return programs{}, fmt.Errorf("find PostgreSQL's programs: %w", context.Cause(ctx))
		case binDir != "":
			return programs{}, fmt.Errorf("%w in KG_PG_BIN=%s: %w; set it to the directory that holds initdb and postgres, or unset it", ErrNoPrograms, binDir, err)
		}
	}
	if p, ok := pick(found, want); ok {
		return p, nil
	}
	return programs{}, noProgramsError(found, want)
}

// pick returns the first installation that is new enough and, unless want is
// zero, of that version.
func pick(found []programs, want int) (programs, bool) {
	i := slices.IndexFunc(found, func(p programs) bool {
		return p.major >= minMajor && (want == 0 || p.major == want)
	})
	if i < 0 {
		return programs{}, false
	}
	return found[i], true
}

// noProgramsError says why none of the installations can be used.
func noProgramsError(found []programs, want int) error {
	const remedy = "set KG_PG_BIN to the directory of its programs, or DATABASE_URL to use a running server"
	var have []string
	for _, p := range found {
		have = append(have, fmt.Sprintf("%d in %s", p.major, p.dir))
	}
	switch {
	case len(found) == 0:
		return fmt.Errorf("%w: install them (%s; nothing of it need run), or %s; looked in PATH, %s",
			ErrNoPrograms, InstallCommand(), remedy, strings.Join(places(), ", "))
	case want != 0:
		return &VersionError{Major: want, Found: have}
	default:
		return fmt.Errorf("%w: PostgreSQL %d or newer is needed, found only %s: install a newer one, %s",
			ErrNoPrograms, minMajor, strings.Join(have, ", "), remedy)
	}
}

// places returns where the distributions put PostgreSQL's programs.
func places() []string {
	return []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // Red Hat, with PostgreSQL's own packages
		"/usr/lib/postgresql*/bin",           // SUSE
		"/usr/libexec/postgresql*",           // Alpine
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	}
}

// searchDirs returns the directories where PostgreSQL's programs may be: those
// of PATH first, then each distribution's with the newest version first.
func searchDirs() []string {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range places() {
		matches, _ := filepath.Glob(pattern) // the patterns are well formed
		slices.SortFunc(matches, func(a, b string) int { return cmp.Compare(lastNumber(b), lastNumber(a)) })
		dirs = append(dirs, matches...)
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return !filepath.IsAbs(dir) })
}

// lastNumber returns the last whole number in a path, which is the version.
func lastNumber(path string) int {
	numbers := regexp.MustCompile(`\d+`).FindAllString(path, -1)
	if len(numbers) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(numbers[len(numbers)-1])
	return n
}

// inspect checks that dir holds the programs and asks for their version.
func inspect(ctx context.Context, dir string) (programs, error) {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return programs{}, err
		}
	}
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version")
	cmd.Env = environment()
	out, err := cmd.Output()
	if err != nil {
		return programs{}, fmt.Errorf("ask %s for its version: %w", cmd.Path, err)
	}
	major, err := parseVersion(string(out))
	if err != nil {
		return programs{}, fmt.Errorf("ask %s for its version: %w", cmd.Path, err)
	}
	return programs{dir: dir, major: major}, nil
}

// parseVersion reads the major version from the answer of postgres --version,
// such as "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)" or "… 19beta2".
func parseVersion(answer string) (int, error) {
	_, rest, ok := strings.Cut(answer, "(PostgreSQL) ")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if !ok || digits == "" {
		return 0, fmt.Errorf("not a version of PostgreSQL: %q", strings.TrimSpace(answer))
	}
	return strconv.Atoi(digits)
}

// environment is what PostgreSQL's programs get to see. The server's own
// environment holds secrets, and variables such as PGHOST or LC_ALL would
// change what they do.
func environment() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "TZ", "TZDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// FindPrograms returns the directory of the programs that Start would use for a
// new cluster, and their major version. It returns an error that wraps
// ErrNoPrograms and says what to install.
func FindPrograms(ctx context.Context, binDir string) (dir string, major int, err error) {
	p, err := findPrograms(ctx, binDir, 0)
	return p.dir, p.major, err
}
