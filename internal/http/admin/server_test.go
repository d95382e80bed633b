package admin

import (
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestServer shows how a server is set and what its checks find, where it says so.
func TestServer(t *testing.T) {
	f := &fake{}
	value := "127.0.0.1:1"
	cfg := Config{
		Lanes: f, Pauses: f, JobLimits: f, Types: laneTypes(t), Policies: f, Scheduler: f, Schedules: f, Threshold: f, GraphSettings: f, Database: f, Inventory: f, Counters: f, Checks: f,
		Settings: func() []api.ServerSetting {
			return []api.ServerSetting{{Name: "KG_ADDR", Value: &value, Source: "flag"}}
		},
		Examine: func(r *nethttp.Request) []api.Finding {
			return []api.Finding{{Check: "as " + r.Header.Get("Authorization"), Level: api.LevelWarn, Found: "it is slow"}}
		},
	}
	for path, want := range map[string]string{"/admin/settings": `"name":"KG_ADDR","value":"127.0.0.1:1"`, "/admin/doctor": `"check":"as Bearer ` + apitest.Good} {
		resp, body := apitest.Call(t, apitest.Serve(t, New(cfg)), apitest.Request{Method: "GET", Path: path})
		if resp.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s, want %s in it", path, resp.StatusCode, body, want)
		}
		if resp, body = apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: path}); resp.StatusCode != 404 {
			t.Errorf("%s of a server that does not say it: %d %s", path, resp.StatusCode, body)
		}
	}
}
