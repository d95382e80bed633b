package knowledge

import "testing"

func TestEpistemicStatus(t *testing.T) {
	at := func(mean float64) []float64 { return []float64{mean, mean, mean} }
	for _, c := range []struct {
		name       string
		groundings []float64
		want       string
	}{
		{"WAS_PART_OF", at(0.9), StatusHistorical},
		{"FORMER_MEMBER", nil, StatusHistorical},
		{"WASTES", at(0.9), StatusWellGrounded}, // whole tokens only
		{"PASTES", at(0.9), StatusWellGrounded},
		{"CAUSES", []float64{0.9, 0.9}, StatusInsufficientData},
		{"CAUSES", nil, StatusInsufficientData},
		{"CAUSES", at(0.8), StatusMixedGrounding},
		{"CAUSES", at(0.8001), StatusWellGrounded},
		{"CAUSES", at(0.15), StatusMixedGrounding},
		{"CAUSES", at(0.1499), StatusWeakGrounding},
		{"CAUSES", at(0), StatusWeakGrounding},
		{"CAUSES", at(-0.0001), StatusPoorlyGrounded},
		{"CAUSES", at(-0.5), StatusPoorlyGrounded},
		{"CAUSES", at(-0.5001), StatusContradicted},
	} {
		if got := NewGroundingStats(c.groundings, 9, 9).Status(c.name); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.name, c.groundings, got, c.want)
		}
	}
}

func TestGroundingStats(t *testing.T) {
	s := NewGroundingStats([]float64{-0.5, 0.5, 0.9}, 10, 20)
	if *s.Avg != 0.3 || *s.Std != 0.5888 || *s.Min != -0.5 || *s.Max != 0.9 || s.Concepts != 3 || s.Sampled != 10 || s.Total != 20 {
		t.Errorf("got %v %v %v %v, %+v", *s.Avg, *s.Std, *s.Min, *s.Max, s)
	}
	if s := NewGroundingStats(nil, 0, 0); s.Avg != nil || s.Std != nil || s.Min != nil || s.Max != nil {
		t.Errorf("nothing measured: %+v, want nulls", s)
	}
}
