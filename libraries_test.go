package kappa_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mended says from which version on a library is without a hole that is known,
// and which one that was. It is for what must not come back with a downgrade; new
// holes are found with govulncheck, which asks a server for them.
var mended = map[string]struct{ since, hole string }{
	"github.com/jackc/pgx/v5":      {"v5.12.0", "GHSA-j38q-h3ph-jjpq, GHSA-95fj-3fxw-g62g"},
	"github.com/golang-jwt/jwt/v5": {"v5.2.2", "GHSA-mh63-6h87-95cp: memory by a header with many dots"},
	"golang.org/x/crypto":          {"v0.35.0", "GHSA-hcg3-q754-cr77"},
	"golang.org/x/net":             {"v0.38.0", "GHSA-vvgc-356p-c3xw"},
	"github.com/quic-go/quic-go":   {"v0.59.1", "GHSA-vvgj-x9jq-8cj9: memory by large trailers"},
	"google.golang.org/protobuf":   {"v1.33.0", "GHSA-8r3f-844c-mc37"},
	"github.com/gin-gonic/gin":     {"v1.9.1", "GHSA-2c4m-59x9-fr2g"},
}

// TestQ38_LibrariesWithoutKnownHoles compares the versions of go.mod.
func TestQ38_LibrariesWithoutKnownHoles(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")); len(fields) >= 2 {
			found[fields[0]] = fields[1]
		}
	}
	for library, m := range mended {
		if have := found[library]; have == "" || older(have, m.since) {
			t.Errorf("%s is %q, want %s or newer: %s", library, have, m.since, m.hole)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{{"v5.11.9", "v5.12.0", true}, {"v5.12.0", "v5.12.0", false}, {"v5.9.0", "v5.12.0", true}, {"v6.0.0", "v5.12.0", false}, {"v5.12.1-rc1", "v5.12.0", false}} {
		if older(c.a, c.b) != c.want {
			t.Errorf("%s is older than %s: want %v", c.a, c.b, c.want)
		}
	}
}

// older compares versions of the form v1.2.3.
func older(a, b string) bool {
	numbers := func(version string) []int {
		version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "-")
		var list []int
		for part := range strings.SplitSeq(version, ".") {
			n, _ := strconv.Atoi(part)
			list = append(list, n)
		}
		return list
	}
	return slices.Compare(numbers(a), numbers(b)) < 0
}
