package corpus_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

func TestChunkRequest(t *testing.T) {
	n := func(v int) *int { return &v }
	for name, c := range map[string]struct {
		request corpus.ChunkRequest
		want    corpus.ChunkOptions
		reduced bool
		broken  string // part of the message; "" = valid
	}{
		"the defaults":                          {want: corpus.ChunkOptions{TargetWords: 1000, MinWords: 800, MaxWords: 1500, OverlapWords: 200}},
		"a small target reduces the overlap":    {request: corpus.ChunkRequest{TargetWords: n(150)}, want: corpus.ChunkOptions{TargetWords: 150, MinWords: 120, MaxWords: 225, OverlapWords: 60}, reduced: true},
		"an overlap that is asked for, reduced": {request: corpus.ChunkRequest{OverlapWords: n(900)}, want: corpus.ChunkOptions{TargetWords: 1000, MinWords: 800, MaxWords: 1500, OverlapWords: 400}, reduced: true},
		"no overlap":                            {request: corpus.ChunkRequest{OverlapWords: n(0)}, want: corpus.ChunkOptions{TargetWords: 1000, MinWords: 800, MaxWords: 1500}},
		"a target not above the overlap":        {request: corpus.ChunkRequest{TargetWords: n(150), OverlapWords: n(200)}, want: corpus.ChunkOptions{TargetWords: 150, MinWords: 120, MaxWords: 225, OverlapWords: 60}, reduced: true},
		"a target equal to the overlap":         {request: corpus.ChunkRequest{TargetWords: n(200), OverlapWords: n(200)}, want: corpus.ChunkOptions{TargetWords: 200, MinWords: 160, MaxWords: 300, OverlapWords: 80}, reduced: true},
		"a target out of range":                 {request: corpus.ChunkRequest{TargetWords: n(99)}, broken: "target_words: must be at least 100, got 99"},
		"min above target":                      {request: corpus.ChunkRequest{MinWords: n(1001)}, broken: "min_words: must be at most 1000"},
		"max below target":                      {request: corpus.ChunkRequest{MaxWords: n(999)}, broken: "max_words: must be at least 1000"},
		"a negative overlap":                    {request: corpus.ChunkRequest{OverlapWords: n(-1)}, broken: "overlap_words: must be at least 0"},
	} {
		t.Run(name, func(t *testing.T) {
			got, reduced, err := c.request.Options()
			if c.broken != "" {
				if kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(kappa.ErrorMessage(err), c.broken) {
					t.Errorf("got %v, want it to say %q", err, c.broken)
				}
				return
			}
			if err != nil || got != c.want || reduced != c.reduced {
				t.Errorf("got %+v (reduced %v), %v; want %+v (reduced %v)", got, reduced, err, c.want, c.reduced)
			}
		})
	}
}
