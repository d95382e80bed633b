package static

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/kappagraph/kappa/corpus/models"
)

const (
	mostTokens     = 512 // of a text; the rest counts nothing
	mostDimension  = 8192
	mostVocabulary = 2_000_000
)

// Model embeds by a matrix. It is safe for concurrent use.
type Model struct {
	name      string
	tokenizer *tokenizer
	file      *tensors
	matrix    tensor
	weights   []float32 // of tokens; nil: all weigh the same
	rows      []int32   // of tokens; nil: a token's number is its row
	pool      sync.Pool // *sum
}

// sum is what one text is added up in.
type sum struct {
	tokens []int
	row    []float32
	total  []float64
	buffer []byte
}

var _ models.Embedder = (*Model)(nil)

// Open opens a model: path is its folder, or its model.safetensors, beside which
// tokenizer.json is. The name of the model has a hash of the files, so that the embeddings
// of another one are never compared with its own.
func Open(path string) (*Model, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		path = filepath.Join(path, "model.safetensors")
	}
	dir := filepath.Dir(path)
	m := &Model{}
	var err error
	if m.tokenizer, err = readTokenizer(filepath.Join(dir, "tokenizer.json")); err != nil {
		return nil, err
	}
	if m.file, err = openTensors(path); err != nil {
		return nil, err
	}
	if err := m.load(dir, path); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Close lets go of the file. The model must not be used any more.
func (m *Model) Close() error { return m.file.file.Close() }

func (m *Model) load(dir, path string) error {
	for _, name := range []string{"embeddings", "embedding.weight"} {
		if t, known := m.file.named[name]; known && len(t.Shape) == 2 {
			m.matrix = t
		}
	}
	switch shape := m.matrix.Shape; {
	case shape == nil:
		return fmt.Errorf("%s has no matrix named embeddings or embedding.weight", path)
	case width(m.matrix.Kind) == 0:
		return fmt.Errorf("the matrix of %s has numbers of the kind %s; F16, BF16, F32 and F64 are read", path, m.matrix.Kind)
	case shape[0] < 1 || shape[0] > mostVocabulary || shape[1] < 2 || shape[1] > mostDimension:
		return fmt.Errorf("the matrix of %s has %d rows of %d numbers, which is no embedding", path, shape[0], shape[1])
	}
	if err := m.loadTokens(path); err != nil {
		return err
	}
	hash, err := hashOf(path, filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		return err
	}
	m.name = "file:" + modelName(dir) + "@" + hash
	dimension := int(m.matrix.Shape[1])
	m.pool.New = func() any {
		return &sum{row: make([]float32, dimension), total: make([]float64, dimension), buffer: make([]byte, 8*dimension)}
	}
	return nil
}

// loadTokens reads what a file says of its tokens, and checks that each has a row.
func (m *Model) loadTokens(path string) error {
	most := 0
	for _, n := range m.tokenizer.vocabulary {
		if n < 0 || n >= mostVocabulary {
			return fmt.Errorf("the vocabulary beside %s has a token %d", path, n)
		}
		most = max(most, n)
	}
	var err error
	if m.weights, err = m.list("weights", most); err != nil {
		return err
	}
	mapping, err := m.list("mapping", most)
	if err != nil {
		return err
	}
	rows := m.matrix.Shape[0]
	if mapping == nil {
		if int64(most) >= rows {
			return fmt.Errorf("the vocabulary beside %s has a token %d, and its matrix only %d rows: they do not belong together", path, most, rows)
		}
		return nil
	}
	m.rows = make([]int32, len(mapping))
	for i, row := range mapping {
		if row < 0 || int64(row) >= rows {
			return fmt.Errorf("the mapping of %s leads to row %.0f of %d", path, row, rows)
		}
		m.rows[i] = int32(row)
	}
	return nil
}

// list reads a list of numbers, one for each token; nil when there is none.
func (m *Model) list(name string, last int) ([]float32, error) {
	at, known := m.file.named[name]
	if !known {
		return nil, nil
	}
	if len(at.Shape) != 1 || width(at.Kind) == 0 || at.Shape[0] <= int64(last) || at.Shape[0] > mostVocabulary {
		return nil, fmt.Errorf("%q of %s is no list of a number for each token", name, m.file.file.Name())
	}
	list := make([]float32, at.Shape[0])
	return list, m.file.row(at, 0, list, make([]byte, len(list)*width(at.Kind)))
}

// modelName returns what a folder says that its model is called, or its own name.
func modelName(dir string) string {
	var config struct {
		Name string `json:"base_model_name"`
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "config.json")); err == nil && json.Unmarshal(raw, &config) == nil && config.Name != "" {
		return strings.Join(strings.Fields(config.Name), "-")
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return strings.Join(strings.Fields(filepath.Base(dir)), "-")
}

// hashOf returns the beginning of a hash of the contents of files.
func hashOf(paths ...string) (string, error) {
	hash := sha256.New()
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(hash, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:6]), nil
}

// Model describes the model.
func (m *Model) Model() models.Model { return models.Model{Name: m.name, Local: true} }

// Dimensions returns the length of an embedding.
func (m *Model) Dimensions() int { return int(m.matrix.Shape[1]) }

// Embed returns the embeddings of texts, each of length 1. A text without tokens has the
// same valid embedding as any other such text. It returns an error when the file cannot be
// read, or that of ctx.
func (m *Model) Embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	out := make([]models.Embedding, len(texts))
	s := m.pool.Get().(*sum)
	defer m.pool.Put(s)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if out[i], err = m.embed(s, text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// embed returns the mean of the rows of a text's tokens, made as long as 1.
func (m *Model) embed(s *sum, text string) (models.Embedding, error) {
	s.tokens = m.tokenizer.tokens(s.tokens[:0], text, mostTokens)
	clear(s.total)
	for _, token := range s.tokens {
		row, weight := int64(token), float64(1)
		if m.rows != nil {
			row = int64(m.rows[token])
		}
		if m.weights != nil {
			weight = float64(m.weights[token])
		}
		if err := m.file.row(m.matrix, row, s.row, s.buffer); err != nil {
			return nil, err
		}
		for i, x := range s.row {
			s.total[i] += weight * float64(x)
		}
	}
	var length float64
	for _, x := range s.total {
		length += x * x
	}
	e := make(models.Embedding, len(s.total))
	if !(length > 0) || math.IsInf(length, 1) { // no tokens, or numbers that are none
		e[0] = 1
		return e, nil
	}
	length = math.Sqrt(length)
	for i, x := range s.total {
		e[i] = float32(x / length)
	}
	return e, nil
}
