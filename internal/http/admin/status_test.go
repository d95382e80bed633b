package admin

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/storage"
)

func (f *fake) Info(context.Context) storage.DatabaseInfo {
	message := "the database cannot be reached"
	info := storage.DatabaseInfo{URI: "postgresql://kg@db/kg", User: "kg", Database: "kg", GraphName: "kg_api", Connected: !f.down}
	if f.down {
		info.Error = &message
	}
	return info
}

func (f *fake) Stats(context.Context) (ontologies.GraphStats, error) {
	return ontologies.GraphStats{Nodes: ontologies.NodeStats{Concepts: 7, Sources: 3, Instances: 9}, Relationships: ontologies.RelationshipStats{Total: 4}}, f.err
}

func TestStatus(t *testing.T) {
	t.Run("what clients read is there", func(t *testing.T) {
		resp, body := apitest.Call(t, newServer(t, &fake{}), apitest.Request{Method: "GET", Path: "/admin/status"})
		if resp.StatusCode != 200 {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		for _, want := range []string{
			`"docker":{"running":true,`, `"database_connection":{"connected":true,"uri":"postgresql://kg@db/kg","error":null}`,
			`"database_stats":{"concepts":7,"sources":3,"instances":9,"relationships":4}`, `"python_env":{"venv_exists":true,`,
			`"configuration":{"env_exists":true,"anthropic_key_configured":false,"openai_key_configured":true}`, `"bolt_url":null`,
		} {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s", body, want)
			}
		}
	})
	t.Run("it answers while the database does not", func(t *testing.T) {
		resp, body := apitest.Call(t, newServer(t, &fake{down: true}), apitest.Request{Method: "GET", Path: "/admin/status"})
		if resp.StatusCode != 200 || !strings.Contains(body, `"connected":false,"uri":"postgresql://kg@db/kg","error":"the database cannot be reached"`) || !strings.Contains(body, `"database_stats":null`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
}
