package storage

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

func TestChunkCheck(t *testing.T) {
	const text = "Kafka reads.\n\nStraße trägt."
	chunk := func(number, start, end int) StoredChunk {
		part := text[start:end]
		chars := len([]rune(text[:start]))
		return StoredChunk{
			Number: number, SourceID: "src", Text: part, HashIsRight: true,
			Bytes: corpus.Span{Start: start, End: end}, Chars: corpus.Span{Start: chars, End: chars + len([]rune(part))},
		}
	}
	first, second := chunk(1, 0, 12), chunk(2, 14, len(text))
	for name, c := range map[string]struct {
		change func(one, two *StoredChunk)
		want   string
	}{
		"white space between chunks": {func(_, _ *StoredChunk) {}, ""},
		"another hash":               {func(_, two *StoredChunk) { two.HashIsRight = false }, "another hash"},
		"bytes":                      {func(_, two *StoredChunk) { two.Bytes.End-- }, "its offsets say 14"},
		"characters":                 {func(one, _ *StoredChunk) { one.Chars.End++ }, "has 12 characters, and its offsets say 13"},
		"another text":               {func(one, _ *StoredChunk) { one.Text = "Kafka weeps." }, "not what the document has"},
		"a chunk that is not there":  {func(_, two *StoredChunk) { two.Number = 3 }, "the chunk before it is not there"},
		"text in no chunk": {func(one, _ *StoredChunk) {
			one.Text, one.Bytes.End, one.Chars.End = "Kafka", 5, 5
		}, "text of the 9 bytes before the chunk is in no chunk"},
		"beyond the end": {func(_, two *StoredChunk) { two.Bytes = corpus.Span{Start: 20, End: 20 + len(two.Text)} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			one, two := first, second
			c.change(&one, &two)
			check := ChunkCheck{Document: "sha256:1", Filename: "a.txt", Body: []byte(text)}
			check.Add(one)
			check.Add(two)
			faults := check.Faults()
			switch {
			case c.want == "" && name == "beyond the end":
				if len(faults) != 1 {
					t.Errorf("%v", faults)
				}
			case c.want == "" && len(faults) > 0:
				t.Errorf("nothing is wrong, got %v", faults)
			case c.want != "" && (len(faults) != 1 || !strings.Contains(faults[0].Problem, c.want)):
				t.Errorf("got %v, want %q", faults, c.want)
			}
		})
	}
}

func TestIsItsOwnText(t *testing.T) {
	for name, c := range map[string]struct {
		kind corpus.ContentType
		body string
		want bool
	}{
		"text":              {corpus.ContentPlain, "Straße", true},
		"a byte order mark": {corpus.ContentPlain, "\xef\xbb\xbfx", false},
		"Latin-1":           {corpus.ContentPlain, "Stra\xdfe", false},
		"a NUL byte":        {corpus.ContentMarkdown, "a\x00b", false},
		"a format":          {corpus.ContentHTML, "<p>x", false},
	} {
		if got := IsItsOwnText(c.kind, []byte(c.body)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
