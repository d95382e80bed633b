package cli

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// connectAPI answers both questions for paths, and keeps what was asked.
func connectAPI(t *testing.T) (f *fakeAPI, asked *[]string) {
	f, asked = newFakeAPI(t), &[]string{}
	const paths = `"max_hops":4,"count":1,"paths":[{"nodes":[{"id":"a","label":"worker lane"},{"id":"b","label":"slot"},{"id":"c","label":"lane"}],
		"relationships":["PART_OF","RELATED_TO"],"forward":[false,true],"hops":2}]`
	note := func(r *http.Request) string {
		var body json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&body)
		*asked = append(*asked, r.URL.Path+" "+string(body))
		return string(body)
	}
	f.HandleFunc("POST /query/connect", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(note(r), "worker-lanes") {
			f.problem(w, http.StatusNotFound, "Concept 'worker-lanes' not found")
			return
		}
		f.json(w, `{"from_id":"worker-lane_8","to_id":"lane_1",`+paths+`}`)
	})
	f.HandleFunc("POST /query/connect-by-search", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(note(r), "zzz") {
			f.problem(w, http.StatusNotFound, "No concepts found matching 'zzz' at 50% similarity. Try: --min-similarity 0.4 (2 near-miss concepts available)")
			return
		}
		f.json(w, `{"from_query":"x","from_concept":{"id":"a","label":"worker lane"},"from_similarity":0.9,"to_concept":{"id":"lane_1","label":"lane"},"to_similarity":1,`+paths+`}`)
	})
	return f, asked
}

func TestConnect(t *testing.T) {
	const path = "worker lane ←PART_OF— slot —RELATED_TO— lane\n"
	for _, tt := range []struct {
		name, from, to string
		code           int
		asked          []string
		out, err       string
	}{
		{
			"two ids", "worker-lane_8", "lane_1", exit.OK,
			[]string{`/query/connect {"from_id":"worker-lane_8","to_id":"lane_1","max_hops":4}`},
			path, "",
		},
		{
			"a phrase and an id", "some lane", "lane_1", exit.OK,
			[]string{`/query/connect-by-search {"from_query":"some lane","to_query":"lane_1","max_hops":4,"threshold":0.5}`},
			path,
			"\"some lane\" is taken as worker lane (a, similarity 0.90)\n",
		},
		{
			"phrases that look like ids", "worker-lanes", "lane_1", exit.OK,
			[]string{
				`/query/connect {"from_id":"worker-lanes","to_id":"lane_1","max_hops":4}`,
				`/query/connect-by-search {"from_query":"worker-lanes","to_query":"lane_1","max_hops":4,"threshold":0.5}`,
			},
			path, "\"worker-lanes\" is taken as worker lane (a, similarity 0.90)\n",
		},
		{
			"a phrase that matches nothing", "zzz", "lane", exit.NotFound,
			[]string{`/query/connect-by-search {"from_query":"zzz","to_query":"lane","max_hops":4,"threshold":0.5}`},
			"",
			"kg: connect the phrases: No concepts found matching 'zzz' at 50% similarity. Try: --min-similarity 0.4 (2 near-miss concepts available)\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, command := range [][]string{{"connect"}, {"search", "connect"}} {
				f, asked := connectAPI(t)
				c := f.console(t).run(t.Context(), append(command, tt.from, tt.to, "--max-hops", "4")...)
				if c.code != tt.code || c.out != tt.out || c.err != tt.err {
					t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
				}
				if strings.Join(*asked, "\n") != strings.Join(tt.asked, "\n") {
					t.Errorf("asked %q", *asked)
				}
			}
		})
	}
	f, _ := connectAPI(t)
	if c := f.console(t).run(t.Context(), "connect", "a", "b", "--max-hops", "11"); c.code != exit.Misused || !strings.Contains(c.err, "max_hops: must be at most 10, got 11") {
		t.Errorf("11 hops: code %d, stderr %q", c.code, c.err)
	}
}
