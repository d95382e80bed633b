package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
)

func TestGraphStatus(t *testing.T) {
	behind, lag := 3, 0.5
	for _, c := range []struct {
		status knowledge.GraphStatus
		want   []string
	}{
		{knowledge.GraphStatus{State: knowledge.GraphReady, Epoch: 7, Edges: 12, Lag: &lag, Behind: &behind}, []string{`"state":"ready"`, `"epoch":7`, `"lag_seconds":0.5`, `"behind_transactions":3`}},
		{knowledge.GraphStatus{State: knowledge.GraphTooLarge, Reason: "why"}, []string{`"state":"too_large"`, `"reason":"why"`, `"lag_seconds":null`, `"behind_transactions":null`}},
	} {
		s := newServer(t, &fake{graph: c.status})
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/graph/status"})
		for _, want := range c.want {
			if resp.StatusCode != 200 || !strings.Contains(body, want) {
				t.Errorf("%d %s lacks %s", resp.StatusCode, body, want)
			}
		}
	}
}
