package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// axes answers for an analysis, and keeps what it was asked.
type axes struct {
	memory
	asked []questions.PolarityQuery
	err   error
	kept  []artifacts.NewArtifact
}

func (a *axes) analyse(_ context.Context, q questions.PolarityQuery, yield func(work.Progress) error) (questions.PolarityResult, error) {
	a.asked = append(a.asked, q)
	for _, percent := range []int{10, 100} {
		if err := yield(work.Progress{Stage: "placing", Percent: percent}); err != nil {
			return questions.PolarityResult{}, err
		}
	}
	r := questions.PolarityResult{Success: true, GraphEpoch: 9, Projections: []questions.PolarityProjection{{ConceptID: "c_1"}}}
	r.Axis.Positive.Label, r.Axis.Negative.Label, r.Axis.Quality, r.Complete = "Light", strings.Repeat("D", 300), questions.AxisStrong, true
	return r, a.err
}

func (a *axes) SaveArtifact(_ context.Context, _ work.Claim, n artifacts.NewArtifact) (int, error) {
	a.kept = append(a.kept, n)
	return 42, n.Validate()
}

func (a *axes) work(ctx context.Context, data string) (string, error) {
	t := NewPolarity(a.analyse, a, a, once)
	raw, err := t.Handler(ctx, work.Claim{JobID: "job_000000000001", Data: json.RawMessage(data)})
	return string(raw), err
}

const axisData = `{"positive_pole_id":"a_1","negative_pole_id":"b_1"}`

func TestPolarity(t *testing.T) {
	t.Run("analyses, yields, keeps the answer", func(t *testing.T) {
		a := &axes{}
		got, err := a.work(t.Context(), axisData)
		want := `{"success":true,"positive_pole_id":"a_1","negative_pole_id":"b_1","concept_count":1,"axis_quality":"strong","artifact_id":42,"complete":true}`
		if err != nil || got != want || len(a.stored) != 2 {
			t.Errorf("got %s, %v and %d checkpoints, want %s", got, err, len(a.stored), want)
		}
		if q := a.asked[0]; q.MaxHops != 1 || q.TimeoutSeconds != 120 || q.Seed == 0 || !q.AutoDiscover {
			t.Errorf("asked for %+v", q)
		}
		n := a.kept[0]
		if n.Type != "polarity_analysis" || n.GraphEpoch != 9 || len([]rune(*n.Name)) != 200 || strings.Join(n.ConceptIDs, " ") != "a_1 b_1 c_1" ||
			!strings.Contains(string(n.Parameters), `"max_hops":1`) || !strings.Contains(string(n.Payload), `"success":true`) {
			t.Errorf("kept %+v", n)
		}
	})
	t.Run("keeps nothing that is not wanted", func(t *testing.T) {
		a := &axes{}
		got, err := a.work(t.Context(), strings.TrimSuffix(axisData, "}")+`,"create_artifact":false}`)
		if err != nil || !strings.Contains(got, `"artifact_id":null`) || len(a.kept) != 0 {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("stops where it yields when it is cancelled", func(t *testing.T) {
		a := &axes{memory: memory{err: kappa.ErrCancelled}}
		if _, err := a.work(t.Context(), axisData); !errors.Is(err, kappa.ErrCancelled) || len(a.kept) != 0 {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(kappa.ErrShutdown)
		if _, err := (&axes{err: ctx.Err()}).work(ctx, axisData); !errors.Is(err, kappa.ErrShutdown) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("what another attempt cannot mend is not tried again", func(t *testing.T) {
		for code, retryable := range map[kappa.Code]bool{kappa.CodeMalformed: false, kappa.CodeInvalid: false, kappa.CodeUnavailable: true} {
			_, err := (&axes{err: kappa.NewError(code, "no")}).work(t.Context(), axisData)
			if kappa.Retryable(err) != retryable || kappa.ErrorCode(err) != code {
				t.Errorf("%s gives %v", code, err)
			}
		}
	})
	t.Run("data that breaks a rule is refused", func(t *testing.T) {
		polarity := NewPolarity((&axes{}).analyse, &axes{}, &axes{}, once)
		for data, rule := range map[string]string{
			`[]`: "data: must be an object such as",
			``:   "data.positive_pole_id: must not be empty; data.negative_pole_id: must not be empty",
			`{"positive_pole_id":"a_1","negative_pole_id":"a_1"}`:               "The poles are the same concept",
			`{"positive_pole_id":1}`:                                            "data.positive_pole_id: must be text, got number",
			strings.TrimSuffix(axisData, "}") + `,"max_hops":9}`:                "data.max_hops: must be at most 3, got 9",
			strings.TrimSuffix(axisData, "}") + `,"max_hops":"x"}`:              "data.max_hops: must be a whole number, got string",
			strings.TrimSuffix(axisData, "}") + `,"candidate_ids":"x"}`:         "data.candidate_ids: must be a list of texts, got string",
			strings.TrimSuffix(axisData, "}") + `,"candidate_ids":["a","b c"]}`: "data.candidate_ids[1]: must consist of",
		} {
			if err := polarity.CheckData(json.RawMessage(data)); !strings.HasPrefix(kappa.ErrorMessage(err), rule) {
				t.Errorf("data %s gives %v, want %q", data, err, rule)
			}
		}
		if err := polarity.CheckData(json.RawMessage(axisData)); err != nil {
			t.Error(err)
		}
	})
}
