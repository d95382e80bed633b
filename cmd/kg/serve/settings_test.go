package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEventSourceRefused starts with sources that cannot work: each is an error
// at the start that names the setting, and shows no secret.
func TestEventSourceRefused(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for name, c := range map[string]struct {
		settings map[string]string
		want     []string
	}{
		"an unknown source":     {map[string]string{"KG_EVENTS": "kafka"}, []string{`KG_EVENTS: must be listen or wal, got "kafka"`}},
		"a wrong address":       {map[string]string{"KG_NATS_URL": "http://user:hunter2@host"}, []string{"KG_NATS_URL:"}},
		"a file without NATS":   {map[string]string{"KG_NATS_CA": missing}, []string{"KG_NATS_URL: must be set", "KG_NATS_CA:", "missing.pem"}},
		"a key without a seed":  {map[string]string{"KG_NATS_URL": "nats://host", "KG_NATS_NKEY": missing}, []string{"KG_NATS_NKEY:"}},
		"no room for a stream":  {map[string]string{"KG_MAX_STREAMS": "0"}, []string{"KG_MAX_STREAMS: must be a number from 1 to 1000000"}},
		"a prefix with a space": {map[string]string{"KG_NATS_URL": "nats://host", "KG_NATS_PREFIX": "a b"}, []string{"KG_NATS_PREFIX:"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.settings["KG_DATA_DIR"] = os.TempDir()
			_, err := readSettings(func(name string) (string, bool) {
				v, ok := c.settings[name]
				return v, ok
			}, nil)
			text := fmt.Sprint(err)
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("the error is %q, want %q in it", text, want)
				}
			}
			if strings.Contains(text, "hunter2") {
				t.Errorf("the error shows the password: %s", text)
			}
		})
	}
}

// TestFailpointsNeedTheirTag arms failpoints in a kg that has none.
func TestFailpointsNeedTheirTag(t *testing.T) {
	t.Parallel()
	_, err := readSettings(func(name string) (string, bool) {
		v, ok := map[string]string{"KG_FAILPOINTS": "after JobClaim=exit", "KG_DATA_DIR": t.TempDir()}[name]
		return v, ok
	}, nil)
	if err == nil || !strings.Contains(err.Error(), "-tags failpoints") {
		t.Errorf("got %v, want a refusal that says what is missing", err)
	}
}

// TestTestSettings reads the settings that are for tests only.
func TestTestSettings(t *testing.T) {
	t.Parallel()
	read := func(values map[string]string) (Settings, error) {
		return readSettings(func(name string) (string, bool) { v, ok := values[name]; return v, ok }, nil)
	}
	settings, err := read(map[string]string{"KG_DATA_DIR": "/d", "KG_TEST_TYPES": "1", "KG_TEST_LEASE_SECONDS": "3", "KG_TEST_WITNESS": "/run/w"})
	if err != nil || settings.TestLease.Seconds() != 3 || settings.TestWitness != "/run/w" {
		t.Errorf("read %s and %q, %v", settings.TestLease, settings.TestWitness, err)
	}
	for _, name := range []string{"KG_TEST_LEASE_SECONDS", "KG_TEST_WITNESS"} {
		if _, err := read(map[string]string{"KG_DATA_DIR": "/d", name: "3"}); err == nil || !strings.Contains(err.Error(), "KG_TEST_TYPES=1") {
			t.Errorf("%s without the test types: %v", name, err)
		}
	}
}
