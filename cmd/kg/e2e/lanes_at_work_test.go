package e2e

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/cli"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// TestThreeLanesAtWork_Slow has a job of each lane wait for the database in the middle of
// its work: kg admin workers shows all three lanes at work, with their jobs.
func TestThreeLanesAtWork_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	s := startServer(t, nil)
	prepareTypes(t, s.client, s.dsn)
	lanes := []struct{ lane, slots, name string }{
		{"interactive", "1/2", questions.TypePolarity},
		{"maintenance", "1/1", vocabulary.TypeRemeasurement},
		{"system", "1/1", corpus.TypeSourceEmbedding},
	}
	var jobs []string
	var releases []func()
	for _, l := range lanes {
		it := interruptedTypes[l.name]
		releases = append(releases, lockTable(t, s.dsn, it.table))
		var id string
		if it.submit != nil {
			id = it.submit(t, s.client, "")
		} else {
			data := it.data
			if data == "" {
				data = "{}"
			}
			reply, err := s.client.Jobs.Submit(t.Context(), work.NewJob{Type: l.name, Queue: work.DefaultQueue, AutoApprove: true, Data: json.RawMessage(data)})
			check(t, err)
			id = reply.JobID
		}
		awaitBlocked(t, s.client, s.dsn, id, it.table)
		jobs = append(jobs, id)
	}
	out := command(t, s, "workers")
	for i, l := range lanes {
		if !regexp.MustCompile(`(?m)^` + l.lane + ` +` + l.slots + ` `).MatchString(out) {
			t.Errorf("lane %s is not at work with %s slots:\n%s", l.lane, l.slots, out)
		}
		if !regexp.MustCompile(`(?m)` + jobs[i] + `.* ` + l.name).MatchString(out) {
			t.Errorf("%s is not shown at work:\n%s", jobs[i], out)
		}
	}
	for i, release := range releases {
		release()
		await(t, s.client, jobs[i], work.StatusCompleted)
	}
	if out := command(t, s, "workers"); !regexp.MustCompile(`(?m)^system +0/1 `).MatchString(out) {
		t.Errorf("afterwards:\n%s", out)
	}
}

// command runs kg admin as an administrator of a server, and returns what it prints.
func command(t *testing.T, s *testServer, args ...string) string {
	t.Helper()
	anonymous, err := client.New(client.Config{BaseURL: s.url})
	check(t, err)
	defer anonymous.Close()
	credentials, err := anonymous.Login(t.Context(), "admin", testPassword, "test")
	check(t, err)
	env := map[string]string{"HOME": t.TempDir(), "KG_API_URL": s.url, "KG_CLIENT_ID": credentials.ClientID, "KG_CLIENT_SECRET": credentials.Secret}
	var out, errors bytes.Buffer
	cmd := cli.NewAdminCommand(cli.New(cli.Config{In: &bytes.Buffer{}, Out: &out, Err: &errors, Version: version, Env: func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}}))
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("kg admin %v: %v\n%s", args, err, errors.String())
	}
	return out.String()
}
