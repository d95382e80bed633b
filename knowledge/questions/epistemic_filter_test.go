package questions

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
)

func TestEpistemicFilter(t *testing.T) {
	for _, c := range []struct {
		filter EpistemicFilter
		status string
		want   bool
	}{
		{EpistemicFilter{}, knowledge.StatusContradicted, true},
		{EpistemicFilter{Include: []string{"well_grounded "}}, knowledge.StatusWellGrounded, true},
		{EpistemicFilter{Include: []string{knowledge.StatusWellGrounded}}, knowledge.StatusMixedGrounding, false},
		{EpistemicFilter{Exclude: []string{knowledge.StatusWellGrounded}}, knowledge.StatusMixedGrounding, true},
		{EpistemicFilter{Exclude: []string{knowledge.StatusContradicted}}, knowledge.StatusContradicted, false},
		{EpistemicFilter{Include: []string{knowledge.StatusContradicted}, Exclude: []string{knowledge.StatusContradicted}}, knowledge.StatusContradicted, false},
		{EpistemicFilter{Include: []string{knowledge.StatusInsufficientData}}, "", true},
		{EpistemicFilter{Exclude: []string{knowledge.StatusInsufficientData}}, "", false},
	} {
		if got := c.filter.Allows(c.status); got != c.want {
			t.Errorf("%+v allows %q: %v", c.filter, c.status, got)
		}
	}
	q := RelatedQuery{ConceptID: "a_1", MaxDepth: 1}
	q.EpistemicFilter = EpistemicFilter{Include: []string{"historical"}, Exclude: []string{"MIXED_GROUNDING"}}
	if err := q.Validate(); err != nil {
		t.Error(err)
	}
	q.Include = []string{"MIXED"}
	if err := q.Validate(); kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), "include_epistemic_status[0]: must be one of WELL_GROUNDED") {
		t.Errorf("an unknown status: %v", err)
	}
}
