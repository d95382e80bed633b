package show

import "testing"

func TestSparkline(t *testing.T) {
	for want, numbers := range map[string][]int64{
		"":         nil,
		"   ":      {0, 0, -1},
		"▁█▄":      {1, 1000, 500},
		"█":        {1},
		"▁▂▃▄▅▆▇█": {1, 2, 3, 4, 5, 6, 7, 8},
	} {
		if got := Sparkline(numbers); got != want {
			t.Errorf("%v is %q, want %q", numbers, got, want)
		}
	}
}
