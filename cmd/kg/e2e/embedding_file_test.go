package e2e

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// embeddingFile writes a static embedding in which words of one group mean the same.
func embeddingFile(t *testing.T, groups ...string) string {
	t.Helper()
	dir, vocabulary, data := t.TempDir(), map[string]int{}, []byte{}
	for at, group := range groups {
		for word := range strings.FieldsSeq(group) {
			vocabulary[word] = len(vocabulary)
			for i := range groups {
				var x float32
				if i == at {
					x = 1
				}
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
	}
	tokenizer, err := json.Marshal(map[string]any{
		"normalizer": map[string]any{"type": "BertNormalizer"},
		"model":      map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary},
	})
	check(t, err)
	header, err := json.Marshal(map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int{len(vocabulary), len(groups)}, "data_offsets": []int{0, len(data)}}})
	check(t, err)
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	check(t, os.WriteFile(filepath.Join(dir, "tokenizer.json"), tokenizer, 0o600))
	check(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), append(file, data...), 0o600))
	return dir
}

// TestEmbeddingFile has concepts embedded by a file, and finds one by a word that means the
// same and is written otherwise.
func TestEmbeddingFile(t *testing.T) {
	t.Parallel()
	s := startServer(t, map[string]string{"KG_EMBEDDING_FILE": embeddingFile(t, "glacier icefield", "bakery", "harbour port", "lighthouse")})
	text := "The glacier feeds the harbour. The bakery stands beside the lighthouse. The glacier is old, and the bakery is new."
	submitted, err := s.client.Documents.Submit(t.Context(), client.Document{Body: []byte(text), Filename: "coast.txt", Ontology: "coast", AutoApprove: true})
	check(t, err)
	if job := awaitEnd(t, s, submitted.JobID); job.Status != work.StatusCompleted {
		t.Fatalf("the job is %s: %v", job.Status, job.Error)
	}
	config, err := s.client.Models.EmbeddingConfig(t.Context())
	check(t, err)
	if !config.Matches || config.GraphDimensions != 4 || !strings.HasPrefix(config.Model, "file:") {
		t.Errorf("the configuration is %+v", config)
	}
	found, err := s.client.Graph.Search(t.Context(), questions.SearchQuery{Query: "icefield", Limit: 3})
	check(t, err)
	if len(found.Results) == 0 || !strings.Contains(strings.ToLower(found.Results[0].Label), "glacier") {
		t.Errorf("icefield finds %+v", found.Results)
	}
	answer, err := s.client.Graph.Ask(t.Context(), questions.Question{Text: "Where does the icefield end, in a port?", Limit: 3, Explain: true})
	check(t, err)
	if len(answer.Passages) == 0 || !strings.Contains(answer.Passages[0].Text, "glacier") || answer.Meaning == nil || !answer.Meaning.Used || answer.Passages[0].Features["similarity"] == 0 {
		t.Errorf("no passage is found by what it means: %+v, %+v", answer.Meaning, answer.Passages)
	}
	status, err := s.client.GraphAdmin.Status(t.Context())
	check(t, err)
	if v := status.Passages.Vectors; v == nil || !v.Ready || v.Passages == 0 || v.Bytes == 0 {
		t.Errorf("of the embeddings of passages it says %+v", v)
	}
	all, err := s.client.Models.InUse(t.Context())
	check(t, err)
	if is := all.Slots[models.SlotEmbedding]; is.Provider != "file" || is.Fixed["provider"] != "KG_EMBEDDING_FILE" {
		t.Errorf("what embeds is shown as %+v", is)
	}
}
