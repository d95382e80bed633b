package cli

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const polarityAnswer = `{"success":true,"axis":{"positive_pole":{"concept_id":"lane_1","label":"lane","grounding":0},
	"negative_pole":{"concept_id":"worker-lane_8","label":"worker lane","grounding":0},"magnitude":1.25,"axis_quality":"strong"},
	"projections":[{"concept_id":"slot_2","label":"slot","position":1.5,"axis_distance":0.25,"direction":"positive","grounding":0.1},
		{"concept_id":"job_3","label":"job","position":-0.5,"axis_distance":1,"direction":"negative","grounding":0}],
	"statistics":{"total_concepts":2,"position_range":[-0.5,1.5],"mean_position":0.5,"mean_axis_distance":0.625,"direction_distribution":{"positive":1,"negative":1,"neutral":0}},
	"grounding_correlation":{"pearson_r":0,"p_value":1,"interpretation":"Insufficient data for correlation","strength":null,"direction":null},
	"skipped_candidates":["no_1"],"complete":false,"missing":"half of it"}`

func TestPolarityAnalyze(t *testing.T) {
	f := graphAPI(t)
	f.answer("POST /query/polarity-axis", polarityAnswer)
	c := f.console(t)
	c.run(t.Context(), "polarity", "analyze", "lanes", "worker-lane_8")
	for _, want := range []string{
		"-1 worker lane ├─────────────────────┤ lane 1\nstrong axis, the poles are 1.25 apart\n",
		"    1.50  ··········|·········▶   slot       0.25       0.10  slot_2\n",
		"   -0.50  ·····●····|··········   job        1.00       0.00  job_3\n",
		"1 positive, 0 neutral, 1 negative; mean position 0.50, mean distance from the axis 0.62\nInsufficient data for correlation\n",
	} {
		if !strings.Contains(c.out, want) {
			t.Errorf("stdout\n%s\nlacks\n%s", c.out, want)
		}
	}
	if c.code != exit.OK || !strings.Contains(c.err, "unknown or without an embedding: no_1") || !strings.Contains(c.err, "Not complete: half of it.") {
		t.Errorf("code %d, stderr %s", c.code, c.err)
	}
	for name, args := range map[string][]string{
		"the same pole":  {"lanes", "lane_1"},
		"nine hops":      {"lanes", "worker-lane_8", "--hops", "9"},
		"no time":        {"lanes", "worker-lane_8", "--timeout", "0"},
		"one pole alone": {"lanes"},
	} {
		if c.run(t.Context(), append([]string{"polarity", "analyze"}, args...)...); c.code != exit.Misused {
			t.Errorf("%s: code %d, stderr %s", name, c.code, c.err)
		}
	}
}

func TestDrawPosition(t *testing.T) {
	for position, want := range map[float64]string{
		-1: "●·········|··········", 0: "··········●··········", 1: "··········|·········●", -1.01: "◀·········|··········", 7: "··········|·········▶",
	} {
		if got := drawPosition(position); got != want {
			t.Errorf("%v: %s, want %s", position, got, want)
		}
	}
}

func TestArtifacts(t *testing.T) {
	f := newFakeAPI(t)
	meta := `"id":7,"artifact_type":"polarity_analysis","representation":"cli","name":"a ↔ b","graph_epoch":3,"is_fresh":false,"created_at":"2026-01-31T08:00:00.000Z","parameters":{"a":1},"concept_ids":["a_1"]`
	f.answer("GET /artifacts", `{"artifacts":[{`+meta+`}],"total":3,"limit":1,"offset":0}`)
	f.answer("GET /artifacts/7", `{`+meta+`}`)
	f.answer("GET /artifacts/7/payload", `{`+meta+`,"payload":`+polarityAnswer+`}`)
	f.answer("GET /artifacts/8/payload", `{"id":8,"artifact_type":"report","payload":{"text":"hello"}}`)
	f.answer("DELETE /artifacts/7", ``)
	f.answer("POST /artifacts/7/regenerate", `{"job_id":"job_000000000001","status":"approved","message":"m"}`)
	c := f.console(t)
	for _, r := range []struct {
		args     []string
		out, err string
	}{
		{[]string{"list", "--limit", "1"}, " 7  polarity_analysis  a ↔ b  has changed  2026-01-31T08:00:00.000Z\n", "There are 2 more: --offset 1 shows"},
		{[]string{"show", "7"}, "graph:      has changed (epoch 3)\nconcepts:   1\nparameters: {\"a\":1}\n", ""},
		{[]string{"payload", "7"}, "strong axis, the poles are 1.25 apart", ""},
		{[]string{"payload", "8"}, "{\"text\":\"hello\"}\n", ""},
		{[]string{"delete", "7"}, "", "Artifact 7 is deleted."},
	} {
		c.run(t.Context(), append([]string{"artifacts"}, r.args...)...)
		if c.code != exit.OK || !strings.Contains(c.out, r.out) || !strings.Contains(c.err, r.err) {
			t.Errorf("%v: code %d, stdout\n%s\nstderr %s", r.args, c.code, c.out, c.err)
		}
	}
	for _, args := range [][]string{{"list", "--type", "song"}, {"list", "--limit", "0"}, {"show", "x"}, {"delete", "0"}} {
		if c.run(t.Context(), append([]string{"artifacts"}, args...)...); c.code != exit.Misused {
			t.Errorf("%v: code %d, stderr %s", args, c.code, c.err)
		}
	}
}
