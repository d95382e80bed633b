package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// choosy embeds texts up to a length, apart from those with a word.
type choosy struct {
	most  int
	word  string
	away  int // the call at which it is away; 0 is none
	calls int
}

func (*choosy) Model() models.Model { return models.Model{Name: "choosy"} }

func (e *choosy) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	if e.calls++; e.calls == e.away {
		return nil, kappa.Postpone(kappa.NewError(kappa.CodeUnavailable, "away"), 1)
	}
	list := make([]models.Embedding, len(texts))
	for i, text := range texts {
		if len(text) > e.most || e.word != "" && strings.Contains(text, e.word) {
			return nil, kappa.Permanent(kappa.NewError(kappa.CodeUpstream, "choosy answered 400: no"))
		}
		list[i] = models.Embedding{float32(len(text)), 1}
	}
	return list, nil
}

// TestEmbedEach has a model refuse some of the texts: the others are embedded all the same, and
// of what is too long the beginning.
func TestEmbedEach(t *testing.T) {
	texts := func(n int, odd map[int]string) []string {
		list := make([]string, n)
		for i := range list {
			if list[i] = fmt.Sprint("text ", i); odd[i] != "" {
				list[i] = odd[i]
			}
		}
		return list
	}
	long := strings.Repeat("é", 1500)
	for name, c := range map[string]struct {
		embedder choosy
		texts    []string
		refused  []int
		calls    int // at most
		code     kappa.Code
	}{
		"none is refused":                {choosy{most: 9000}, texts(128, nil), nil, 1, ""},
		"one is too long":                {choosy{most: 800}, texts(128, map[int]string{77: long}), nil, 20, ""},
		"one is refused at any length":   {choosy{most: 9000, word: "é"}, texts(128, map[int]string{77: long}), []int{77}, 24, ""},
		"the first and the last are":     {choosy{most: 9000, word: "é"}, texts(128, map[int]string{0: "é", 127: "é"}), []int{0, 127}, 32, ""},
		"all are":                        {choosy{most: 0}, texts(128, nil), nil, 40, kappa.CodeUpstream},
		"the only one is":                {choosy{most: 0}, texts(1, nil), nil, 1, kappa.CodeUpstream},
		"the model goes away meanwhile":  {choosy{most: 9000, word: "é", away: 4}, texts(128, map[int]string{77: "é"}), nil, 4, kappa.CodeUnavailable},
		"the first of many are, and not": {choosy{most: 9000, word: "é"}, texts(64, map[int]string{0: "é", 1: "é", 2: "é", 3: "é", 4: "é", 5: "é", 6: "é"}), []int{0, 1, 2, 3, 4, 5, 6}, 40, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.embedder
			all, why, err := embedEach(t.Context(), &e, c.texts)
			if kappa.ErrorCode(err) != c.code || e.calls > c.calls {
				t.Fatalf("%d calls, %v", e.calls, err)
			}
			if err != nil {
				return
			}
			var refused []int
			for i, one := range all {
				switch {
				case one == nil:
					refused = append(refused, i)
				case int(one[0]) != len(c.texts[i]) && (c.texts[i] != long || one[0] < 300):
					t.Errorf("text %d of %d bytes was embedded by %v of them", i, len(c.texts[i]), one[0])
				}
			}
			if !slices.Equal(refused, c.refused) || (why != nil) != (len(refused) > 0) {
				t.Errorf("refused are %v, %v", refused, why)
			}
		})
	}
}

// TestARefusedPassageKeepsNoOtherWaiting has the model refuse one passage of many: the others
// are embedded, the refused one is said and not asked for again at once.
func TestARefusedPassageKeepsNoOtherWaiting(t *testing.T) {
	p := newPassageTable(300, "old")
	e := &choosy{most: 9000, word: "passage 130"}
	run := func() string {
		t.Helper()
		raw, err := NewPassageEmbedding(PassageEmbeddingConfig{Store: p, Embedder: e, Claims: &memory{}, Retry: once}).Handler(t.Context(), work.Claim{JobID: "job_000000000001", Data: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if got, want := run(), `{"status":"completed","embedding_model":"choosy","passages_embedded":299,"passages_refused":1,"refusal":"choosy answered 400: no","embeddings_removed":300}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p.has(130, "choosy") || !p.has(129, "choosy") || !p.has(131, "choosy") || !p.has(300, "choosy") {
		t.Errorf("embedded are %v, %v, %v, %v", p.by[129], p.by[130], p.by[131], p.by[300])
	}
	before := e.calls
	if run(); e.calls != before {
		t.Errorf("the refused passage was asked for %d times again", e.calls-before)
	}
}
