package serve

import "testing"

func TestConnectionLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		chosen, streams, files int
		want                   int // 0 = an error
	}{
		{0, 20_000, 1 << 20, 25_000},
		{0, 20_000, 20_000, 19_637},
		{0, 20_000, 100, 16},
		{0, 10, 1024, 661},
		{100, 20_000, 1024, 100},
		{661, 20_000, 1024, 661},
		{662, 20_000, 1024, 0},
	} {
		s := Settings{Connections: tt.chosen, Streams: tt.streams, Pools: poolSettings{Jobs: 10, Graph: 20, Auth: 5}}
		got, err := s.connectionLimit(tt.files)
		if got != tt.want || (err != nil) != (tt.want == 0) {
			t.Errorf("%+v: %d, %v", tt, got, err)
		}
	}
}
