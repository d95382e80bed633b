package lanes

import (
	"errors"
	"slices"
	"testing"
)

func TestBatchSize(t *testing.T) {
	for _, c := range []struct{ slots, free, want int }{
		{1, 1, 1},
		{16, 16, 16},
		{100, 100, 100},
		{150, 150, 100}, // the second claim is worth its statement from here on
		{150, 20, 20},
		{300, 300, 150},
		{300, 10, 10},
		{4000, 4000, 2000},
		{5000, 5000, maxClaim},
	} {
		if got := new(batchSize).of(c.slots, c.free); got != c.want {
			t.Errorf("of %d free of %d slots a lane claims for %d, want %d", c.free, c.slots, got, c.want)
		}
	}

	t.Run("claims for fewer after a failure, and for more as it goes", func(t *testing.T) {
		var b batchSize
		away := errors.New("away")
		var got []int
		for _, err := range []error{away, away, away, nil, nil, nil, nil} {
			most := b.of(400, 400)
			got = append(got, most)
			b.claimed(most, err)
		}
		got = append(got, b.of(400, 400))
		if want := []int{200, 100, 50, 25, 50, 100, 200, 200}; !slices.Equal(got, want) {
			t.Errorf("claims for %v, want %v", got, want)
		}
	})

	t.Run("a lane of the usual size always claims for all its slots", func(t *testing.T) {
		var b batchSize
		for range 3 {
			b.claimed(b.of(16, 16), errors.New("away"))
		}
		if got := b.of(16, 16); got != 16 {
			t.Errorf("claims for %d after failures, want 16", got)
		}
	})
}
