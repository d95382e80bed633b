package library

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestPlace(t *testing.T) {
	for name, c := range map[string]struct {
		role, body string
		status     int
		want       corpus.Placement // asked of the store; Owner is that of the caller when its role is not an administrator's
		says       string
	}{
		"one's own":          {access.RoleContributor, `{"ontology":"o","source_path":"lib/new.md"}`, 204, corpus.Placement{DocumentID: known, Ontology: "o", SourcePath: "lib/new.md", Filename: "new.md", Owner: 1001}, ""},
		"somebody's":         {access.RoleAdmin, `{"ontology":"o","source_path":"lib/new.md","filename":"N"}`, 204, corpus.Placement{DocumentID: known, Ontology: "o", SourcePath: "lib/new.md", Filename: "N"}, ""},
		"without a path":     {access.RoleAdmin, `{"ontology":"o","source_path":""}`, 422, corpus.Placement{}, "source_path"},
		"a path too long":    {access.RoleAdmin, `{"ontology":"o","source_path":"` + strings.Repeat("a", 4097) + `"}`, 422, corpus.Placement{}, "source_path"},
		"an unknown word":    {access.RoleAdmin, `{"ontology":"o","source_path":"a","path":"b"}`, 422, corpus.Placement{}, "path"},
		"who may not ingest": {access.RoleReadOnly, `{"ontology":"o","source_path":"a"}`, 403, corpus.Placement{}, "create on ingest"},
	} {
		f := &fake{}
		resp, body := apitest.Call(t, serveAs(t, f, c.role), apitest.Request{Method: "PUT", Path: "/documents/" + known + "/place", Body: c.body})
		if resp.StatusCode != c.status || f.placement != c.want || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s, asked of the store %+v", name, resp.StatusCode, body, f.placement)
		}
	}
	f := &fake{}
	if resp, _ := apitest.Call(t, serveAs(t, f, access.RoleAdmin), apitest.Request{Method: "PUT", Path: "/documents/sha256:0/place", Body: `{"ontology":"o","source_path":"a"}`}); resp.StatusCode != 404 || f.placement != (corpus.Placement{}) {
		t.Errorf("an unknown document: %d", resp.StatusCode)
	}
}
