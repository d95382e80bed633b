package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/work"
)

// passageTable is passages with the models that have embedded them.
type passageTable struct {
	by    map[int32][]string
	most  int32
	calls int

	refused map[int32]string
}

func newPassageTable(n int32, models ...string) *passageTable {
	p := &passageTable{by: map[int32][]string{}, most: n, refused: map[int32]string{}}
	for id := int32(1); id <= n; id++ {
		p.by[id] = models
	}
	return p
}

func (p *passageTable) has(id int32, model string) bool {
	return slices.Contains(p.by[id], model)
}

func (p *passageTable) PassagesToEmbed(_ context.Context, model string, after int32, most int) (list []corpus.PassageToEmbed, _ error) {
	p.calls++
	for id := after + 1; id <= p.most && len(list) < most; id++ {
		if !p.has(id, model) && p.refused[id] == "" {
			list = append(list, corpus.PassageToEmbed{ID: id, Text: fmt.Sprint("passage ", id)})
		}
	}
	return list, nil
}

func (p *passageTable) CountPassagesToEmbed(ctx context.Context, model string, after int32) (int, error) {
	list, err := p.PassagesToEmbed(ctx, model, after, int(p.most))
	return len(list), err
}

func (p *passageTable) StorePassageEmbeddings(_ context.Context, model string, passages []corpus.PassageToEmbed, embeddings []models.Embedding) error {
	if len(passages) != len(embeddings) {
		return errors.New("another number of embeddings")
	}
	for _, one := range passages {
		p.by[one.ID] = append(p.by[one.ID], model)
	}
	return nil
}

func (p *passageTable) RefusePassages(_ context.Context, _ string, passages []corpus.PassageToEmbed, reason string) error {
	for _, one := range passages {
		p.refused[one.ID] = reason
	}
	return nil
}

func (p *passageTable) RemoveOutdated(_ context.Context, model string, most int) (n int, _ error) {
	for id, by := range p.by {
		var left []string
		for _, m := range by {
			if m == model || n == most {
				left = append(left, m)
			} else {
				n++
			}
		}
		p.by[id] = left
	}
	return n, nil
}

// teller embeds, and fails after so many calls.
type teller struct {
	name  string
	names bool
	fails int // the call that fails; 0 is none
	calls int
}

func (e *teller) Model() models.Model { return models.Model{Name: e.name, NamesOnly: e.names} }

func (e *teller) Embed(_ context.Context, texts []string) ([]models.Embedding, error) {
	if e.calls++; e.calls == e.fails {
		return nil, kappa.NewError(kappa.CodeUnavailable, "away")
	}
	list := make([]models.Embedding, len(texts))
	for i := range list {
		list[i] = models.Embedding{1}
	}
	return list, nil
}

// TestPassageEmbedding embeds what has no embedding by the model, goes on after a failure, keeps
// those by the old model until all have new ones, and does nothing without a model.
func TestPassageEmbedding(t *testing.T) {
	run := func(p *passageTable, e models.Embedder, m *memory) (string, error) {
		raw, err := NewPassageEmbedding(PassageEmbeddingConfig{Store: p, Embedder: e, Claims: m, Retry: once}).Handler(t.Context(), work.Claim{JobID: "job_000000000001", Data: json.RawMessage(`{}`)})
		return string(raw), err
	}
	p := newPassageTable(300, "old")
	if _, err := run(p, &teller{name: "new", fails: 2}, &memory{}); kappa.ErrorCode(err) != kappa.CodeUnavailable || !p.has(128, "new") || p.has(129, "new") || !p.has(1, "old") {
		t.Fatalf("after a failure: %v, %v", err, p.by[129])
	}
	m := &memory{}
	got, err := run(p, &teller{name: "new"}, m)
	if want := `{"status":"completed","embedding_model":"new","passages_embedded":172,"passages_refused":0,"embeddings_removed":300}`; err != nil || got != want || len(p.by[1]) != 1 || !p.has(300, "new") {
		t.Errorf("got %s, %v; passage 1 is embedded by %v", got, err, p.by[1])
	}
	if last := m.stored[len(m.stored)-1].Progress; last.Percent != 100 {
		t.Errorf("the last checkpoint is %+v", last)
	}
	if _, err := run(newPassageTable(3), &teller{name: "new"}, &memory{err: kappa.ErrCancelled}); !errors.Is(err, kappa.ErrCancelled) {
		t.Errorf("cancelled: %v", err)
	}
	none := newPassageTable(3, "old")
	if got, err := run(none, &teller{name: "names", names: true}, &memory{}); err != nil || none.calls != 0 || !none.has(1, "old") {
		t.Errorf("without a model: %s, %v, %d reads", got, err, none.calls)
	}
}
