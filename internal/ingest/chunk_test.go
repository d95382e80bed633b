package ingest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// numbered returns n words that differ, with a space between them.
func numbered(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("word%04d", i+1)
	}
	return strings.Join(words, " ")
}

// replaceGap puts gap after the n-th word of a text of numbered words.
func replaceGap(text string, n int, gap string) string {
	word := fmt.Sprintf("word%04d", n)
	return strings.Replace(text, word+" ", word+gap, 1)
}

func chunksOf(text string, o corpus.ChunkOptions) []corpus.Chunk {
	return slices.Collect(Chunks(text, corpus.ContentPlain, o))
}

func TestChunkEnds(t *testing.T) {
	o, _, err := corpus.ChunkRequest{}.Options()
	if err != nil {
		t.Fatal(err)
	}
	text := numbered(3000) // a word and its space are 9 characters, 500 of them 55 words
	tests := map[string]struct {
		text     string
		words    int
		boundary corpus.Boundary
	}{
		"fewer than min words":               {numbered(799), 799, corpus.BoundaryEnd},
		"as many as the target":              {numbered(1000), 1000, corpus.BoundaryEnd},
		"up to max without a boundary":       {numbered(1200), 1200, corpus.BoundaryEnd},
		"no boundary":                        {text, 1500, corpus.BoundaryHardCut},
		"a paragraph within reach":           {replaceGap(text, 950, "\n\n"), 950, corpus.BoundaryParagraph},
		"a paragraph with blanks on it":      {replaceGap(text, 1050, "\r\n \t\r\n"), 1050, corpus.BoundaryParagraph},
		"a line end is no paragraph":         {replaceGap(text, 1000, "\r\n"), 1500, corpus.BoundaryHardCut},
		"a paragraph out of reach":           {replaceGap(text, 940, "\n\n"), 1500, corpus.BoundaryHardCut},
		"a sentence":                         {replaceGap(text, 990, ". The "), 990, corpus.BoundarySentence},
		"a quoted sentence":                  {replaceGap(text, 990, `?” (“The `), 990, corpus.BoundarySentence},
		"a full stop without a capital":      {replaceGap(text, 990, ". the "), 1500, corpus.BoundaryHardCut},
		"a semicolon":                        {replaceGap(text, 1010, "; "), 1010, corpus.BoundaryPause},
		"an ellipsis":                        {replaceGap(text, 1010, "... "), 1010, corpus.BoundaryPause},
		"a dash between words":               {replaceGap(text, 1009, " — "), 1010, corpus.BoundaryPause},
		"a dash within a word":               {replaceGap(text, 1009, "—"), 1500, corpus.BoundaryHardCut},
		"a far paragraph, a near sentence":   {replaceGap(replaceGap(text, 950, "\n\n"), 1000, ". The "), 950, corpus.BoundaryParagraph},
		"a far sentence, a near pause":       {replaceGap(replaceGap(text, 1050, "! The "), 1000, "; "), 1050, corpus.BoundarySentence},
		"two paragraphs, the later nearer":   {replaceGap(replaceGap(text, 950, "\n\n"), 1020, "\n\n"), 1020, corpus.BoundaryParagraph},
		"two paragraphs, the earlier nearer": {replaceGap(replaceGap(text, 990, "\n\n"), 1020, "\n\n"), 990, corpus.BoundaryParagraph},
		"two paragraphs equally near":        {replaceGap(replaceGap(replaceGap(text, 990, "\n\n"), 1005, "  "), 1010, "\n\n"), 990, corpus.BoundaryParagraph},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := chunksOf(tt.text, o)[0]
			if got.Words != tt.words || got.Boundary != tt.boundary {
				t.Errorf("the first chunk ends after %d words at a %s, want %d and %s", got.Words, got.Boundary, tt.words, tt.boundary)
			}
		})
	}
}

func TestChunkOverlap(t *testing.T) {
	t.Run("the next chunk starts with the last words of this one", func(t *testing.T) {
		o := corpus.ChunkOptions{TargetWords: 1000, MinWords: 800, MaxWords: 1500, OverlapWords: 200}
		chunks := chunksOf(replaceGap(numbered(2000), 1000, "\n\n"), o)
		if len(chunks) != 2 || !strings.HasPrefix(chunks[1].Text, "word0801 ") || chunks[1].Words != 1200 {
			t.Fatalf("%d chunks, the second starts with %.20q and has %d words", len(chunks), chunks[1].Text, chunks[1].Words)
		}
		if first, second := chunks[0], chunks[1]; second.Bytes.Start >= first.Bytes.End || second.Number != 2 {
			t.Errorf("chunks %d %v and %d %v, want an overlap", first.Number, first.Bytes, second.Number, second.Bytes)
		}
	})
	t.Run("an overlap above the target advances by half of the chunk", func(t *testing.T) {
		o := corpus.ChunkOptions{TargetWords: 150, MinWords: 120, MaxWords: 225, OverlapWords: 1000}
		chunks := chunksOf(numbered(10_000), o)
		if !strings.HasPrefix(chunks[1].Text, "word0114 ") || len(chunks) > 100 {
			t.Errorf("%d chunks, the second starts with %.20q", len(chunks), chunks[1].Text)
		}
	})
	t.Run("no overlap repeats nothing", func(t *testing.T) {
		o := corpus.ChunkOptions{TargetWords: 10, MinWords: 8, MaxWords: 15}
		words := 0
		for _, c := range chunksOf(numbered(100), o) {
			words += c.Words
		}
		if words != 100 {
			t.Errorf("the chunks have %d words, want 100", words)
		}
	})
	t.Run("options of nothing still cut the whole text", func(t *testing.T) {
		if got := len(chunksOf("a b c", corpus.ChunkOptions{})); got != 3 {
			t.Errorf("%d chunks, want 3", got)
		}
	})
}

func TestChunkOffsets(t *testing.T) {
	text := byteOrderMark + " \r\nÄpfel und Öl.\r\n\r\n水在 一百度沸腾。\r\n"
	chunks := chunksOf(text, corpus.ChunkOptions{TargetWords: 3, MinWords: 1, MaxWords: 4})
	want := []corpus.Chunk{
		{Number: 1, Text: "Äpfel und Öl.", Bytes: corpus.Span{Start: 6, End: 21}, StartChar: 4, EndChar: 17, Words: 3, Boundary: corpus.BoundaryParagraph},
		{Number: 2, Text: "水在 一百度沸腾。", Bytes: corpus.Span{Start: 25, End: 50}, StartChar: 21, EndChar: 30, Words: 4, Boundary: corpus.BoundaryEnd},
	}
	if !slices.Equal(chunks, want) {
		t.Errorf("got  %+v\nwant %+v", chunks, want)
	}
	for _, blank := range []string{"", " \n ", byteOrderMark} {
		if got := chunksOf(blank, smallOptions()); len(got) != 0 {
			t.Errorf("%q has chunks: %v", blank, got)
		}
	}
}

func TestChunksOfLargeText(t *testing.T) {
	o, _, _ := corpus.ChunkRequest{}.Options()
	tests := map[string]string{
		"one word of 10 MB":             strings.Repeat("x", 10<<20),
		"one line of 10 MB":             strings.Repeat("some words here ", 10<<16),
		"Chinese without a space":       strings.Repeat("水在一百度沸腾", 1<<17),
		"words of 1300 bytes":           strings.Repeat(strings.Repeat("y", 1300)+" ", 2000),
		"words of 100 kB":               strings.Repeat(strings.Repeat("z", 100_000)+"\n", 20),
		"a lot of white space":          "a" + strings.Repeat(" ", 2<<20) + "b",
		"one unclosed code block":       "```\n" + strings.Repeat("code here. Then\n\n", 2<<16),
		"paragraphs of one word":        strings.Repeat("a\n\n", 1<<19),
		"nothing but fences":            strings.Repeat("```\n", 1<<19),
		"fences that fill long lines":   strings.Repeat("```"+strings.Repeat("q", 5000)+"\n", 500),
		"backticks on one line":         strings.Repeat("`", 2<<20),
		"text of three-byte characters": strings.Repeat("。 ", 1<<19),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			total := 0
			for c := range Chunks(text, corpus.ContentMarkdown, o) {
				total += len(c.Text)
				if len(c.Text) > maxChunkBytes || !utf8.ValidString(c.Text) {
					t.Fatalf("chunk %d has %d bytes", c.Number, len(c.Text))
				}
			}
			runtime.ReadMemStats(&after)
			if total > 3*len(text) {
				t.Errorf("the chunks have %d bytes, more than three times the text's %d", total, len(text))
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4<<20 {
				t.Errorf("allocated %d kB in all", allocated>>10)
			}
		})
	}
}

// TestChunksAreLinear counts how often words are looked at: however long the text is, and
// whatever the options and the text, a few times each.
func TestChunksAreLinear(t *testing.T) {
	const mostLooks = 7
	usual, _, _ := corpus.ChunkRequest{}.Options()
	for name, o := range map[string]corpus.ChunkOptions{
		"the usual options": usual,
		"much overlap":      {TargetWords: 100, MinWords: 100, MaxWords: 150, OverlapWords: 1000},
		"long chunks":       {TargetWords: 5000, MinWords: 1, MaxWords: 10_000, OverlapWords: 1000},
		"short chunks":      {TargetWords: 100, MinWords: 1, MaxWords: 10_000, OverlapWords: 50},
	} {
		for what, piece := range map[string]string{
			"sentences": "Water boils at a hundred degrees. It freezes at none;\nand so on.\n\n", "no boundary": "water ", "a block of code": "```\ncode here. Then\n\n",
			"letters": "a ", "long words": strings.Repeat("w", 3000) + " ",
		} {
			most := 0.0
			for _, size := range []int{1 << 17, 1 << 19} {
				text := strings.Repeat(piece, size/len(piece))
				perWord := looksPerWord(text, o)
				if size == 1<<17 {
					most = 1.2*perWord + 1
				} else if perWord > most || perWord > mostLooks {
					t.Errorf("%s, %s: a word is looked at %.1f times in %d bytes, at most %.1f was expected", name, what, perWord, size, min(most, mostLooks))
				}
			}
		}
	}
}

// looksPerWord returns how often a word is looked at while a text is cut.
func looksPerWord(text string, o corpus.ChunkOptions) float64 {
	c := newChunker(text, corpus.ContentMarkdown, o)
	for _, ok := c.next(); ok; _, ok = c.next() {
	}
	return float64(c.looks) / float64(countWords(text))
}

// TestChunksOf50MB_Slow cuts a text of 50 MB: every byte of it is in a chunk, and no more memory
// is taken than for the words of some chunks.
func TestChunksOf50MB_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	const size = 50 << 20
	o, _, _ := corpus.ChunkRequest{}.Options()
	piece := "Water boils at a hundred degrees. It freezes at none;\nand so on.\n\n"
	text := strings.Repeat(piece, size/len(piece)) + "The end."
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start, end, chunks := -1, 0, 0
	for c := range Chunks(text, corpus.ContentMarkdown, o) {
		if c.Bytes.Start <= start || c.Bytes.End <= end || strings.TrimSpace(text[end:max(end, c.Bytes.Start)]) != "" || len(c.Text) != c.Bytes.End-c.Bytes.Start {
			t.Fatalf("chunk %d %v after %d to %d", c.Number, c.Bytes, start, end)
		}
		start, end, chunks = c.Bytes.Start, c.Bytes.End, c.Number
	}
	runtime.ReadMemStats(&after)
	if allocated := after.TotalAlloc - before.TotalAlloc; end != len(text) || chunks < 8000 || allocated > 4<<20 {
		t.Errorf("%d chunks to byte %d of %d, with %d kB allocated", chunks, end, len(text), allocated>>10)
	}
}

func TestChunksOfLongWords(t *testing.T) {
	long := strings.Repeat("x", maxWordBytes)
	o := corpus.ChunkOptions{TargetWords: 1000, MinWords: 800, MaxWords: 1500, OverlapWords: 200}
	// Half of the first chunk's words fill it so far that with them as its
	// overlap the second would have no room for another.
	text := "a b c d " + strings.Repeat(long+" ", 20)
	checkChunkLaws(t, text, o, false)
	if first := chunksOf(text, o)[0]; first.Words != 7 || first.Boundary != corpus.BoundaryHardCut {
		t.Errorf("the first chunk has %d words and ends at a %s", first.Words, first.Boundary)
	}
}

func TestChunksKeepCodeTogether(t *testing.T) {
	code := "\n```go\nx = 1. Y\n\na b c d e f g\n```\n" // 13 words
	tests := map[string]struct {
		text    string
		options corpus.ChunkOptions
		first   string // how the first chunk ends
		second  string // how the second one starts
	}{
		"no chunk ends within a block": {
			text:    numbered(14) + code + numbered(60),
			options: corpus.ChunkOptions{TargetWords: 20, MinWords: 10, MaxWords: 30, OverlapWords: 2},
			first:   "```\nword0001 word0002 word0003",
			second:  "word0002 word0003",
		},
		"an overlap that would begin within a block begins after it": {
			text:    numbered(4) + code + "x1 x2 x3\n\n" + numbered(60),
			options: corpus.ChunkOptions{TargetWords: 20, MinWords: 10, MaxWords: 40, OverlapWords: 8},
			first:   "```\nx1 x2 x3",
			second:  "x1 x2 x3\n\nword0001",
		},
		"after a cut within a block the next chunk repeats it from its opening": {
			text:    numbered(14) + code + numbered(60),
			options: corpus.ChunkOptions{TargetWords: 20, MinWords: 10, MaxWords: 20, OverlapWords: 4},
			first:   "```go\nx = 1. Y\n\na",
			second:  "```go\nx = 1. Y\n\na b",
		},
		"a block that opens too far back is cut": {
			text:    numbered(6) + code + numbered(60),
			options: corpus.ChunkOptions{TargetWords: 18, MinWords: 10, MaxWords: 18, OverlapWords: 4},
			first:   "a b c d e f g",
			second:  "d e f g\n```",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			chunks := slices.Collect(Chunks(tt.text, corpus.ContentMarkdown, tt.options))
			if got := chunks[0].Text; !strings.HasSuffix(got, tt.first) {
				t.Errorf("the first chunk ends with %q, want %q", got[max(0, len(got)-60):], tt.first)
			}
			if got := chunks[1].Text; !strings.HasPrefix(got, tt.second) {
				t.Errorf("the second chunk starts with %.60q, want %q", got, tt.second)
			}
		})
	}
	t.Run("plain text has no blocks", func(t *testing.T) {
		o := corpus.ChunkOptions{TargetWords: 20, MinWords: 10, MaxWords: 30, OverlapWords: 2}
		if got := chunksOf(numbered(14)+code+numbered(60), o)[0].Text; !strings.HasSuffix(got, "x = 1. Y") {
			t.Errorf("the first chunk is %q", got)
		}
	})
}

func TestFences(t *testing.T) {
	tests := map[string]struct{ text, inside string }{ // the words within a block
		"a block":                         {"a\n```\nb c\n```\nd", "b c ```"},
		"tildes and an info string":       {"~~~ sh x\nb\n~~~\nd", "sh x b ~~~"},
		"a longer fence closes":           {"```\nb\n`````\nd", "b `````"},
		"a shorter one does not":          {"````\nb\n```\nd", "b ``` d"},
		"the other mark does not":         {"```\nb\n~~~\nd", "b ~~~ d"},
		"a fence with text does not":      {"```\nb\n``` c\nd", "b ``` c d"},
		"indented":                        {"- a\n  ```\n  b\n  ```\n  d", "b ```"},
		"two marks are no fence":          {"``\nb", ""},
		"in the middle of a line":         {"a ```\nb", ""},
		"code within a line":              {"```a``` b\nc", ""},
		"at the start after a byte order": {byteOrderMark + "```\nb\n```\nc", "b ```"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			scanner := newWordScanner(tt.text, corpus.ContentMarkdown)
			var inside []string
			for w, ok := scanner.next(); ok; w, ok = scanner.next() {
				if w.fenced {
					inside = append(inside, tt.text[w.start:w.end])
				}
			}
			if got := strings.Join(inside, " "); got != tt.inside {
				t.Errorf("inside: %q, want %q", got, tt.inside)
			}
		})
	}
}

func TestChunkLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", "Word", "end.", "really?", "wait...", "so;", "—", "水在沸腾", "Ä", " ", "  ", "\n", "\r\n", "\n\n", "\u3000", "\u2029",
			"```", "~~~", "```go", "\t", "“Quote”", strings.Repeat("l", 200), "\u00a0", ". The ", "\xff",
		})
		n := rapid.IntRange(0, 400).Draw(t, "number of pieces") // a slice alone would be short most of the time
		text := strings.Join(rapid.SliceOfN(piece, n, n).Draw(t, "pieces"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "joined by"))
		checkChunkLaws(t, text, drawOptions(t), rapid.Bool().Draw(t, "markdown"))
	})
}

func drawOptions(t *rapid.T) corpus.ChunkOptions {
	target := rapid.IntRange(1, 60).Draw(t, "target")
	return corpus.ChunkOptions{
		TargetWords:  target,
		MinWords:     rapid.IntRange(1, target).Draw(t, "min"),
		MaxWords:     rapid.IntRange(target, 2*target).Draw(t, "max"),
		OverlapWords: rapid.IntRange(0, 80).Draw(t, "overlap"),
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("One sentence. Another one; and\n\na paragraph.", 3, 1, 5, 2, true)
	f.Add(byteOrderMark+"```\ncode\n```\ntext", 2, 2, 2, 9, true)
	f.Add(strings.Repeat("x", maxWordBytes+1), 1, 1, 1, 1, false)
	f.Fuzz(func(t *testing.T, text string, target, least, most, overlap int, markdown bool) {
		target = min(max(target, 1), 5000)
		o := corpus.ChunkOptions{
			TargetWords: target, MinWords: min(max(least, 1), target),
			MaxWords: min(max(most, target), 10_000), OverlapWords: min(max(overlap, 0), 1000),
		}
		checkChunkLaws(t, text, o, markdown)
	})
}

// checkChunkLaws holds the chunks of text to what Chunks promises.
func checkChunkLaws(t interface {
	Fatalf(format string, args ...any)
}, text string, o corpus.ChunkOptions, markdown bool,
) {
	contentType := corpus.ContentPlain
	if markdown {
		contentType = corpus.ContentMarkdown
	}
	chunks := slices.Collect(Chunks(text, contentType, o))
	if again := slices.Collect(Chunks(text, contentType, o)); !slices.Equal(chunks, again) {
		t.Fatalf("a second cut differs: %v and %v", chunks, again)
	}
	covered := 0
	for i, c := range chunks {
		if c.Number != i+1 || text[c.Bytes.Start:c.Bytes.End] != c.Text || c.Text == "" {
			t.Fatalf("chunk %d is number %d with the span %v and the text %q", i+1, c.Number, c.Bytes, c.Text)
		}
		if c.StartChar != utf8.RuneCountInString(text[:c.Bytes.Start]) || c.EndChar != utf8.RuneCountInString(text[:c.Bytes.End]) {
			t.Fatalf("chunk %d %v is from character %d to %d", c.Number, c.Bytes, c.StartChar, c.EndChar)
		}
		if i > 0 && (c.Bytes.Start <= chunks[i-1].Bytes.Start || c.Bytes.End <= chunks[i-1].Bytes.End) {
			t.Fatalf("chunk %d %v does not advance from %v", c.Number, c.Bytes, chunks[i-1].Bytes)
		}
		if c.Bytes.Start > covered && strings.ContainsFunc(text[covered:c.Bytes.Start], visibleIn(covered)) {
			t.Fatalf("chunk %d %v leaves out %q", c.Number, c.Bytes, text[covered:c.Bytes.Start])
		}
		covered = c.Bytes.End
		checkChunkSize(t, c, o, i == len(chunks)-1)
	}
	if strings.ContainsFunc(text[covered:], visibleIn(covered)) {
		t.Fatalf("no chunk has %q", text[covered:])
	}
}

// checkChunkSize holds one chunk to its number of words and its boundary.
func checkChunkSize(t interface {
	Fatalf(format string, args ...any)
}, c corpus.Chunk, o corpus.ChunkOptions, last bool,
) {
	if len(c.Text) > maxChunkBytes || c.Words > o.MaxWords {
		t.Fatalf("chunk %d has %d words and %d bytes", c.Number, c.Words, len(c.Text))
	}
	if len(c.Text) > maxWordBytes { // words may have been cut, and count more than once
		return
	}
	if c.Words != wordsOf(c.Text) {
		t.Fatalf("chunk %d says %d words, has %d", c.Number, c.Words, wordsOf(c.Text))
	}
	if (c.Boundary == corpus.BoundaryEnd) != last || !last && c.Words < o.MinWords {
		t.Fatalf("chunk %d (the last: %t) has %d words and ends at %s", c.Number, last, c.Words, c.Boundary)
	}
}

// visibleIn reports what a chunk must hold: everything but white space and a
// byte order mark at the start of the document.
func visibleIn(offset int) func(rune) bool {
	return func(r rune) bool { return !unicode.IsSpace(r) && (offset > 0 || string(r) != byteOrderMark) }
}

// wordsOf counts the words of a text: the third character of Han, and every second one after
// it, begins another one.
func wordsOf(text string) (n int) {
	for field := range strings.FieldsSeq(text) {
		han := 0
		for _, r := range field {
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
		n += 1 + max(han-1, 0)/2
	}
	return n
}

// TestChunksWithoutSpaces cuts a text without any white space into chunks as long as others, at
// the ends of sentences.
func TestChunksWithoutSpaces(t *testing.T) {
	o, _, _ := corpus.ChunkRequest{}.Options()
	for name, sentence := range map[string]string{"Chinese": "北京大学创建于1898年，是中国的大学。", "Thai": "จุฬาลงกรณ์มหาวิทยาลัยก่อตั้งในกรุงเทพ", "Japanese": "東京大学は日本の大学である。"} {
		text, chunks := strings.Repeat(sentence, 1000), 0
		for c := range Chunks(text, corpus.ContentPlain, o) {
			chunks++
			if size := len(c.Text); size > 30_000 || c.Boundary != corpus.BoundarySentence && c.Boundary != corpus.BoundaryEnd && name != "Thai" {
				t.Errorf("%s: a chunk of %d bytes ends at %s", name, size, c.Boundary)
			}
			if !utf8.ValidString(c.Text) {
				t.Errorf("%s: a character is cut", name)
			}
		}
		if chunks < 4 {
			t.Errorf("%s: %d chunks of %d bytes", name, chunks, len(text))
		}
	}
}

func TestCountWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab. \n\t\u00a0\u3000水Ä—"))).Draw(t, "text")
		if got, want := countWords(text), wordsOf(text); got != want {
			t.Errorf("%q has %d words, want %d", text, got, want)
		}
	})
	if got := countWords(byteOrderMark + " a"); got != 1 {
		t.Errorf("a byte order mark counts as a word: %d", got)
	}
}

func BenchmarkChunks(b *testing.B) {
	o, _, _ := corpus.ChunkRequest{}.Options()
	text := strings.Repeat("Water boils at a hundred degrees. It freezes at none;\nand so on.\n\n", 20_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range Chunks(text, corpus.ContentMarkdown, o) {
		}
	}
}
