package main

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

// TestTestSettings reads the settings that are for tests only.
func TestTestSettings(t *testing.T) {
	t.Parallel()
	read := func(values map[string]string) (serveSettings, error) {
		return readServeSettings(func(name string) (string, bool) { v, ok := values[name]; return v, ok }, nil)
	}
	settings, err := read(map[string]string{"KG_TEST_TYPES": "1", "KG_TEST_LEASE_SECONDS": "3", "KG_TEST_WITNESS": "/run/w"})
	if err != nil || settings.TestLease.Seconds() != 3 || settings.TestWitness != "/run/w" {
		t.Errorf("read %s and %q, %v", settings.TestLease, settings.TestWitness, err)
	}
	for _, name := range []string{"KG_TEST_LEASE_SECONDS", "KG_TEST_WITNESS"} {
		if _, err := read(map[string]string{name: "3"}); err == nil || !strings.Contains(err.Error(), "KG_TEST_TYPES=1") {
			t.Errorf("%s without the test types: %v", name, err)
		}
	}
}

func TestWitness(t *testing.T) {
	t.Parallel()
	if witness("") != nil {
		t.Error("without a path somebody is told")
	}
	path := filepath.Join(t.TempDir(), "w")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	check(t, err)
	defer conn.Close() //nolint:errcheck // the test is over
	check(t, witness(path)(t.Context(), kappa.Claim{JobID: "job_1", Token: 7}, "2"))
	buf := make([]byte, 100)
	n, err := conn.Read(buf)
	if got := string(buf[:n]); err != nil || got != "job_1 2 7" {
		t.Errorf("the witness read %q, %v", got, err)
	}
}
