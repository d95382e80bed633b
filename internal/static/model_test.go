package static

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is a model of a few tokens: each has a direction of its own, and what means the same
// has the same one.
var small = map[string][]float32{
	"[UNK]": {9, 9, 9}, "dog": {1, 0, 0}, "hound": {1, 0, 0}, "cat": {0, 1, 0}, "wal": {0, 0, 2}, "##king": {0, 0, 4}, "猫": {0, 1, 0}, ",": {0, 0, 0.5},
}

// write makes a model's folder, with numbers of a kind.
func write(t *testing.T, kind string, rows map[string][]float32) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small-model")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	vocabulary, data := map[string]int{}, []byte{}
	for token, row := range rows {
		vocabulary[token] = len(vocabulary)
		for _, x := range row {
			switch kind {
			case "F32":
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			case "BF16":
				data = binary.LittleEndian.AppendUint16(data, uint16(math.Float32bits(x)>>16))
			case "F16":
				data = binary.LittleEndian.AppendUint16(data, toHalf(x))
			}
		}
	}
	writeTokenizer(t, dir, "WordPiece", vocabulary)
	writeTensors(t, dir, map[string]any{"embeddings": map[string]any{"dtype": kind, "shape": []int{len(rows), 3}, "data_offsets": []int{0, len(data)}}, "__metadata__": map[string]string{"format": "pt"}}, data)
	return dir
}

// toHalf returns x in 16 bits, for an x that fits.
func toHalf(x float32) uint16 {
	if x == 0 {
		return 0
	}
	bits := math.Float32bits(x)
	return uint16(bits>>31<<15 | (bits>>23&0xff-112)<<10 | bits>>13&0x3ff)
}

func writeTokenizer(t *testing.T, dir, kind string, vocabulary map[string]int) {
	t.Helper()
	writeJSON(t, filepath.Join(dir, "tokenizer.json"), map[string]any{
		"normalizer":    map[string]any{"type": "BertNormalizer", "lowercase": true, "strip_accents": nil, "handle_chinese_chars": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model":         map[string]any{"type": kind, "unk_token": "[UNK]", "continuing_subword_prefix": "##", "vocab": vocabulary},
	})
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeTensors(t *testing.T, dir string, header any, data []byte) {
	t.Helper()
	raw, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(raw)))
	file = append(append(file, raw...), data...)
	if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), file, 0o600); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string) *Model {
	t.Helper()
	m, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func TestEmbed(t *testing.T) {
	for _, kind := range []string{"F32", "F16", "BF16"} {
		m := open(t, write(t, kind, small))
		for _, c := range []struct {
			text string
			want [3]float64
		}{
			{"dog", [3]float64{1, 0, 0}},
			{"  Dóg\t", [3]float64{1, 0, 0}}, // in lower case, without accents
			{"dog cat", [3]float64{math.Sqrt2 / 2, math.Sqrt2 / 2, 0}},
			{"walking", [3]float64{0, 0, 1}},
			{"dog猫", [3]float64{math.Sqrt2 / 2, math.Sqrt2 / 2, 0}}, // a Chinese character is a word
			{"dog zebra", [3]float64{1, 0, 0}},                      // what is no token counts nothing
			{"walkings", [3]float64{1, 0, 0}},                       // nor does a word of which a part is none; without any:
			{"", [3]float64{1, 0, 0}},
			{"\x00\xff", [3]float64{1, 0, 0}},
		} {
			e, err := m.Embed(t.Context(), []string{c.text})
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.want {
				if math.Abs(float64(e[0][i])-want) > 1e-3 {
					t.Errorf("%s: %q is %v, want %v", kind, c.text, e[0], c.want)
					break
				}
			}
		}
	}
}

// TestEmbedAsOthers has what the weights and the mapping of a file with fewer rows than tokens say.
func TestEmbedAsOthers(t *testing.T) {
	dir := t.TempDir()
	writeTokenizer(t, dir, "WordPiece", map[string]int{"dog": 0, "hound": 1, "cat": 2})
	var data []byte
	for _, x := range []float32{1, 0, 0, 1} { // two rows
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	for _, n := range []uint64{0, 0, 1} {
		data = binary.LittleEndian.AppendUint64(data, n)
	}
	for _, x := range []float64{1, 1, 3} {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	writeTensors(t, dir, map[string]any{
		"embedding.weight": map[string]any{"dtype": "F32", "shape": []int{2, 2}, "data_offsets": []int{0, 16}},
		"mapping":          map[string]any{"dtype": "I64", "shape": []int{3}, "data_offsets": []int{16, 40}},
		"weights":          map[string]any{"dtype": "F64", "shape": []int{3}, "data_offsets": []int{40, 64}},
	}, data)
	e, err := open(t, dir).Embed(t.Context(), []string{"hound", "hound cat"})
	if err != nil {
		t.Fatal(err)
	}
	if e[0][0] != 1 || math.Abs(float64(e[1][1]/e[1][0])-3) > 1e-5 {
		t.Errorf("got %v, want a hound to be a dog, and a cat to weigh three times as much", e)
	}
}

// TestModelNames holds that the name of a model follows its files.
func TestModelNames(t *testing.T) {
	a, again := open(t, write(t, "F32", map[string][]float32{"dog": {1, 0, 0}})), open(t, write(t, "F32", map[string][]float32{"dog": {1, 0, 0}}))
	b := open(t, write(t, "F32", map[string][]float32{"dog": {0, 1, 0}}))
	if a.Model().Name != again.Model().Name || a.Model().Name == b.Model().Name || !strings.HasPrefix(a.Model().Name, "file:small-model@") {
		t.Errorf("names %q, %q and %q", a.Model().Name, again.Model().Name, b.Model().Name)
	}
}

func TestOpenRefuses(t *testing.T) {
	whole := func() string { return write(t, "F32", small) }
	for _, c := range []struct {
		name, want string
		dir        func() string
	}{
		{"no folder", "no such file", func() string { return filepath.Join(t.TempDir(), "none") }},
		{"no tokenizer", "tokenizer.json", func() string {
			dir := whole()
			_ = os.Remove(filepath.Join(dir, "tokenizer.json"))
			return dir
		}},
		{"another tokenizer", `the kind "Unigram"`, func() string {
			dir := whole()
			writeTokenizer(t, dir, "Unigram", map[string]int{"a": 1})
			return dir
		}},
		{"a vocabulary of another model", "do not belong together", func() string {
			dir := whole()
			writeTokenizer(t, dir, "WordPiece", map[string]int{"a": len(small)})
			return dir
		}},
		{"half a file", "is no file of safetensors", func() string {
			dir := whole()
			_ = os.Truncate(filepath.Join(dir, "model.safetensors"), 150)
			return dir
		}},
		{"no file of numbers", "is no file of safetensors", func() string {
			dir := whole()
			_ = os.WriteFile(filepath.Join(dir, "model.safetensors"), []byte("version https://git-lfs.github.com/spec/v1\n"), 0o600)
			return dir
		}},
		{"no matrix", "no matrix", func() string {
			dir := whole()
			writeTensors(t, dir, map[string]any{}, nil)
			return dir
		}},
		{"a shape that is larger than the file", "is no file of safetensors", func() string {
			dir := whole()
			writeTensors(t, dir, map[string]any{"embeddings": map[string]any{"dtype": "F32", "shape": []int64{math.MaxInt64, math.MaxInt64}, "data_offsets": []int{0, 8}}}, make([]byte, 8))
			return dir
		}},
	} {
		m, err := Open(c.dir())
		if err == nil {
			_ = m.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// FuzzTokens holds that any text has tokens of the vocabulary, and no more than asked for.
func FuzzTokens(f *testing.F) {
	for _, text := range []string{"walking the dog, cat", "猫dog\x00", "İstanbul", strings.Repeat("dog ", 40)} {
		f.Add(text)
	}
	tokens := &tokenizer{vocabulary: map[string]int{"dog": 0, "wal": 1, "##king": 2, "猫": 3}, rest: "##", maxWord: maxWord, lower: true, chinese: true}
	f.Fuzz(func(t *testing.T, text string) {
		list := tokens.tokens(nil, text, 7)
		if len(list) > 7 {
			t.Errorf("%d tokens", len(list))
		}
		for _, n := range list {
			if n < 0 || n > 3 {
				t.Errorf("token %d", n)
			}
		}
	})
}
