package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
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
			}, settingsFile{})
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
	}, settingsFile{})
	if err == nil || !strings.Contains(err.Error(), "-tags failpoints") {
		t.Errorf("got %v, want a refusal that says what is missing", err)
	}
}

// TestTestSettings reads the settings that are for tests only.
func TestTestSettings(t *testing.T) {
	t.Parallel()
	read := func(values map[string]string) (*Settings, error) {
		return readSettings(func(name string) (string, bool) { v, ok := values[name]; return v, ok }, settingsFile{})
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

// TestSettingsFile reads files with mistakes: each is reported with its line, and
// nothing of what may be a secret is shown.
func TestSettingsFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
		secret     string
	}{
		{"a line that is no setting", "KG_DATA_DIR=/d\nhunter2\n", []string{"serve.env:2: must be NAME=value"}, "hunter2"},
		{"an address that has an equals sign", "postgres://kg:hunter2@host/kg?sslmode=require\n", []string{"serve.env:1: must be NAME=value"}, "hunter2"},
		{"a secret of capitals", "# key\nHUNTERTWO==\n", []string{"serve.env:2: no such setting; the line is not shown"}, "HUNTER"},
		{"a misspelt name", "KG_ADRESS=:80\nKG_MAX_STREAM=hunter2\nKG_DATABASE_URL=hunter2\n", []string{
			"serve.env:1: no such setting as KG_ADRESS; did you mean KG_ADDR?",
			"serve.env:2: no such setting as KG_MAX_STREAM; did you mean KG_MAX_STREAMS?",
			"serve.env:3: no such setting as KG_DATABASE_URL; did you mean DATABASE_URL?",
		}, "hunter2"},
		{"a value of another setting", "KG_DRAIN_SECONDS=hunter2\n", []string{"serve.env:1: KG_DRAIN_SECONDS: must be a number from 0 to 3600"}, "hunter2"},
		{"a name that is like none", "KG_ZZZZZZZZZZZZZZZZ=1\n", []string{"serve.env:1: no such setting as KG_ZZZZZZZZZZZZZZZZ"}, "did you mean"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "serve.env")
			check(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := loadSettings(NewCommand("test", nil, nil).Flags(), []string{"HOME=/h"}, path)
			text := fmt.Sprint(err)
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("the error is %q, want %q in it", text, want)
				}
			}
			if strings.Contains(text, c.secret) {
				t.Errorf("the error shows %q: %s", c.secret, text)
			}
		})
	}
}

// TestWhereASettingComesFrom sets the same settings at several places.
func TestWhereASettingComesFrom(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "serve.env")
	check(t, os.WriteFile(path, []byte("KG_ADDR=127.0.0.3:1\nKG_POOL_JOBS=30\nKG_POOL_GRAPH=\"31\"\n"), 0o600))
	flags := NewCommand("test", nil, nil).Flags()
	check(t, flags.Parse([]string{"--addr", "127.0.0.1:1"}))
	s, err := loadSettings(flags, []string{"HOME=/h", "KG_ADDR=127.0.0.2:1", "KG_POOL_JOBS=20", "KG_POOL_GRAPH=", "KG_EVENTS=wal"}, path)
	check(t, err)
	if s.Addr != "127.0.0.1:1" || !s.AddrIsChosen || s.Pools.Jobs != 20 || s.Pools.Graph != 31 || s.Pools.Auth != 5 || s.Events != sourceWAL || s.DataDir != "/h/.local/share/kg" {
		t.Errorf("got %+v", s)
	}
	if s.Streams != work.DefaultMaxStreams || s.UserStreams != work.DefaultMaxUserStreams || s.Drain != 10*time.Second || s.Retention.Failed != work.DefaultRetainFailed {
		t.Errorf("the defaults are %+v", s)
	}
}

// TestShownSettings: where each setting comes from is shown, and no secret is.
func TestShownSettings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "serve.env")
	check(t, os.WriteFile(path, []byte("KG_POOL_JOBS=30\nOPENAI_API_KEY=hunter2\n"), 0o600))
	flags := NewCommand("test", nil, nil).Flags()
	check(t, flags.Parse([]string{"--addr", "127.0.0.1:1", "--database-url", "postgres://kg:hunter2@db/kg"}))
	s, err := loadSettings(flags, []string{
		"HOME=/h", "KG_ADMIN_PASSWORD=hunter2", "KG_NATS_URL=nats://kg:hunter2@nats:1", "KG_WORKER_SECRET=hunter2hunter2hunter2hunter2hunter2",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=hunter2", "KG_EVENTS=wal", "KG_FAILPOINTS=",
	}, path)
	check(t, err)
	got := map[string]string{}
	for _, row := range s.shown {
		value := "-"
		if row.Value != nil {
			value = *row.Value
		}
		if got[row.Name] = row.Source + " " + value; row.Secret {
			got[row.Name] += " secret"
		}
		if strings.Contains(fmt.Sprint(row, value), "hunter2") {
			t.Errorf("%s shows the secret", row.Name)
		}
	}
	for name, want := range map[string]string{
		"KG_ADDR": "flag 127.0.0.1:1", "DATABASE_URL": "flag - secret", "KG_POOL_JOBS": "file 30", "KG_POOL_AUTH": "default -", "KG_EVENTS": "environment wal",
		"OPENAI_API_KEY": "file - secret", "KG_ADMIN_PASSWORD": "environment - secret", "KG_NATS_URL": "environment - secret", "KG_WORKER_SECRET": "environment - secret",
		"OTEL_EXPORTER_OTLP_HEADERS": "environment - secret",
	} {
		if got[name] != want {
			t.Errorf("%s is shown as %q, want %q", name, got[name], want)
		}
	}
	if _, ok := got["KG_FAILPOINTS"]; ok {
		t.Error("a setting for tests is shown")
	}
}

// TestUnknownVariables misspells variables of the environment.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	known := names(new(Settings).table())
	got := unknownVariables([]string{
		"KG_MAX_STREAM=1", "KG_API_ULR=x", "KG_COMPLETELY_DIFFERENT=1", // these mean nothing
		"KG_ADDR=x", "KG_API_URL=x", "KG_ONTOLOGY=x", "KG_TEST_SLOW=1", "KG_FAILPOINTS=", "HOME=/h", "KGB=1",
	}, known)
	want := []unknownSetting{{"KG_MAX_STREAM", "KG_MAX_STREAMS"}, {"KG_API_ULR", "KG_API_URL"}, {"KG_COMPLETELY_DIFFERENT", ""}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int64{
		"0": 0, "1": 1, "512MB": 512 << 20, "512 mb": 512 << 20, "2GiB": 2 << 30, "3kb": 3 << 10, "1024GiB": 1 << 40,
		"": -1, "MB": -1, "-1MB": -1, "1.5GB": -1, "2GG": -1, "1025GiB": -1, "9999999999GB": -1, "12bananas": -1,
	} {
		got, ok := parseSize(value)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %d (%v), want %d", value, got, ok, want)
		}
	}
}
