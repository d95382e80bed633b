package worker

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const aSecret = "secretive-0123456789abcdef"

// execute runs kg worker with variables of the environment, and returns what it wrote.
func execute(t *testing.T, environ []string, args ...string) (string, error) {
	t.Helper()
	cmd := NewCommand("test", environ)
	var errs bytes.Buffer
	cmd.SetArgs(args)
	cmd.SetOut(io.Discard)
	cmd.SetErr(&errs)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	return errs.String(), err
}

// TestFlagsAreRefused gives settings that are wrong: each is named, with what is expected.
func TestFlagsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an address without a scheme":    {[]string{"--server", "kg.example.com"}, "--server: must be an address such as wss://"},
		"a password in the address":      {[]string{"--server", "wss://u:" + aSecret[:8] + "@kg.example.com"}, "--server: must have no user"},
		"no slots":                       {[]string{"--queues", "a:0"}, "--queues: "},
		"two ways to say slots":          {[]string{"--queues", "a:1", "--capacity", "2"}, "give one of them"},
		"a capacity of none":             {[]string{"--capacity", "0"}, "--capacity: must be a whole number from 1"},
		"a label without a value":        {[]string{"--label", "gpu"}, "--label: must be key=value"},
		"a backoff of one time":          {[]string{"--backoff", "1s"}, "--backoff: must be min/max"},
		"a backoff the wrong way round":  {[]string{"--backoff", "10s/1s"}, "the first time must not be longer"},
		"a lease that is too short":      {[]string{"--lease", "1ms"}, "--lease: must be a time from"},
		"a grace that is no time":        {[]string{"--grace", "soon"}, "--grace: must be a time from"},
		"a health address without port":  {[]string{"--health", "localhost"}, "--health: "},
		"a program that is not there":    {[]string{"--types", "t", "--exec", "/no/such/program"}, "--exec: must be a program"},
		"a program for no type":          {[]string{"--exec", "sh"}, "--types: name the types"},
		"arguments for no program":       {[]string{"x"}, "arguments are for the program of --exec"},
		"a type that nothing works on":   {[]string{"--types", "noop"}, `--types: nothing here works on "noop"`},
		"an extractor that is not known": {[]string{"--extractor", "magic"}, "--extractor: must be local, openai, anthropic or ollama"},
		"a model for none":               {[]string{"--model", "m"}, "the extractor local has no model"},
		"a model without a key":          {[]string{"--extractor", "openai"}, "OPENAI_API_KEY: must be set"},
		"a model's address":              {[]string{"--extractor", "ollama", "--model-url", "ftp://x"}, "--model-url: must be http://"},
		"a file of the secret":           {[]string{"--secret-file", "/no/such/file"}, "--secret-file: must be a file"},
	} {
		t.Run(name, func(t *testing.T) {
			said, err := execute(t, []string{"KG_WORKER_SECRET=" + aSecret}, c.args...)
			known, _ := errors.AsType[*exit.Error](err)
			if err == nil || !strings.Contains(err.Error(), c.want) || known == nil || known.Code != exit.Misused {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error()+said, aSecret[:8]) {
				t.Errorf("the secret is shown: %v", err)
			}
		})
	}
	for name, environ := range map[string][]string{"no secret": nil, "a short one": {"KG_WORKER_SECRET=short"}} {
		if _, err := execute(t, environ); err == nil || !strings.Contains(err.Error(), "KG_WORKER_SECRET") || strings.Contains(err.Error(), "short,") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestConfig reads settings from flags, the environment and a file.
func TestConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(aSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := &options{env: lookup([]string{"KG_WORKER_SERVER=https://kg.example.com", "KG_WORKER_QUEUES=fast_lane:1 manual,*:4", "KG_WORKER_TYPES=a, b"}), changed: func(string) bool { return false }}
	o.bind(pflag.NewFlagSet("worker", pflag.ContinueOnError))
	o.backoff, o.lease, o.grace, o.secretFile, o.exec, o.labels = "0.5/5s", "90", "1m", file, program, []string{"gpu=a100"}
	cfg, err := o.config([]string{"-x"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Server != "wss://kg.example.com/worker/websocket" || string(cfg.Secret) != aSecret || len(cfg.Groups) != 2 || cfg.Groups[1].Slots != 4 ||
		len(cfg.Handlers) != 2 || cfg.Handlers["b"] == nil || cfg.Lease.Seconds() != 90 || cfg.MinBackoff.Milliseconds() != 500 || cfg.Grace.Minutes() != 1 || cfg.Labels["gpu"] != "a100" || cfg.Name == "" {
		t.Errorf("got %+v", cfg)
	}
}
