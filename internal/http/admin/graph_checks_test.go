package admin

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge"
)

func (f *fake) CheckGraph(_ context.Context, name string) (knowledge.GraphChecked, error) {
	check, err := knowledge.FindGraphCheck(name)
	return knowledge.GraphChecked{GraphCheck: check, Broken: 2, Examples: []string{"a_1 CAUSES b_2"}}, err
}

func (f *fake) RepairGraph(_ context.Context, name string) (knowledge.GraphRepaired, error) {
	return knowledge.GraphRepaired{Name: name, Repaired: 2}, f.do("repair %s", name)
}

func TestGraphChecks(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/admin/graph/checks", 200, `"name":"confidence"`},
		{"GET", "/admin/graph/checks/confidence", 200, `"broken":2,"examples":["a_1 CAUSES b_2"]`},
		{"GET", "/admin/graph/checks/no", 404, `There is no check 'no'`},
		{"POST", "/admin/graph/checks/confidence/repair", 200, `"repaired":2`},
	} {
		resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path})
		if resp.StatusCode != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
		}
	}
}
