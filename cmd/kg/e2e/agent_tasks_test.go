package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/kappagraph/kappa/test/agent"
)

// TestAgentTasks has an agent do what new users ask of one, over HTTP. With -v it prints each task,
// how many calls it took and what a model had to read.
func TestAgentTasks(t *testing.T) {
	t.Parallel()
	s := startServer(t, nil)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token(t, s))}, DisableStandaloneSSE: true}, nil)
	check(t, err)
	defer session.Close()
	outcomes, err := agent.Run(t.Context(), session, agent.Tasks())
	check(t, err)
	done, table := 0, &strings.Builder{}
	for _, o := range outcomes {
		mark := "done  "
		if o.Failed == "" {
			done++
		} else {
			mark = "FAILED"
			t.Errorf("%s\n%s", o.Wish, o.Failed)
		}
		fmt.Fprintf(table, "%s  %2d calls  %6d bytes  %s\n", mark, o.Calls, o.Bytes, o.Wish)
	}
	t.Logf("%d of %d tasks are done\n%s", done, len(outcomes), table)
	if len(outcomes) < 28 {
		t.Errorf("there are %d tasks, and must be 28", len(outcomes))
	}
	t.Run("at once", func(t *testing.T) { askAtOnce(t, session) })
}

// askAtOnce has ten agents ask at once, and a hundred: each of a hundred costs at most twice as
// much, in the best of some rounds, and all are answered.
func askAtOnce(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	round := func(agents int) time.Duration {
		began := time.Now()
		var all errgroup.Group
		for range agents {
			all.Go(func() error {
				got, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: json.RawMessage(`{"question":"When was the bridge of Arden opened?"}`)})
				if err == nil && got.IsError {
					err = fmt.Errorf("refused: %v", got.Content)
				}
				return err
			})
		}
		check(t, all.Wait())
		return time.Since(began) / time.Duration(agents)
	}
	of10, of100 := time.Hour, time.Hour
	for try := 0; try < 20 && (try < 3 || of100 > 2*of10); try++ {
		of10, of100 = min(of10, round(10)), min(of100, round(100))
	}
	t.Logf("of 10 at once each takes %v, of 100 %v", of10, of100)
	if of100 > 2*of10 {
		t.Errorf("of 10 at once each takes %v, of 100 %v", of10, of100)
	}
}
