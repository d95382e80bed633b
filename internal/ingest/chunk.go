package ingest

import (
	"iter"
	"slices"
	"sort"

	"github.com/kappagraph/kappa/corpus"
)

const (
	// boundaryReach is how far from its ideal end a chunk may end for the sake
	// of a boundary, in characters.
	boundaryReach = 500
	// maxChunkBytes is where a chunk of very long words ends early. It holds
	// several words of maxWordBytes.
	maxChunkBytes = 256 << 10
	// maxOverlapBytes leaves room for a word of maxWordBytes after the overlap.
	maxOverlapBytes = maxChunkBytes / 2
)

// Chunks cuts text as o says. The same text and options give the same chunks.
// They cover the text: every character other than white space and a leading
// byte order mark is in a chunk. Each starts after the start and ends after the
// end of the one before.
//
// A chunk ends after a word, near its target-th one: at the best boundary
// within 500 characters that leaves min to max words, else after max words. It
// has fewer words than min only at the end of the text or when they reach 256
// KiB. The next chunk repeats its last OverlapWords words, at most half of it.
// In Markdown no boundary is within a fenced code block, and an overlap that
// would begin within one begins after it.
//
// It takes time in proportion to the length of text, and memory for the words
// of one chunk.
func Chunks(text string, contentType corpus.ContentType, o corpus.ChunkOptions) iter.Seq[corpus.Chunk] {
	return func(yield func(corpus.Chunk) bool) {
		c := newChunker(text, contentType, o)
		for chunk, ok := c.next(); ok; chunk, ok = c.next() {
			if !yield(chunk) {
				return
			}
		}
	}
}

type chunker struct {
	options  corpus.ChunkOptions
	words    *wordScanner
	read     []word
	window   []word // the rest of read, from the start of the next chunk
	repeated int    // words at the start of window that the chunk before has too
	number   int
	done     bool // the last chunk has been cut
	looks    int  // at words, for the test that they are in proportion to the text
}

func newChunker(text string, contentType corpus.ContentType, o corpus.ChunkOptions) *chunker {
	o.TargetWords = max(o.TargetWords, 1)
	o.MinWords = min(max(o.MinWords, 1), o.TargetWords)
	o.MaxWords = max(o.MaxWords, o.TargetWords)
	return &chunker{options: o, words: newWordScanner(text, contentType)}
}

func (c *chunker) next() (corpus.Chunk, bool) {
	c.fill(c.options.MaxWords + 1)
	if c.done || len(c.window) == 0 {
		return corpus.Chunk{}, false
	}
	n, boundary := c.end()
	c.number++
	first, last := c.window[0], c.window[n-1]
	chunk := corpus.Chunk{
		Number:    c.number,
		Text:      c.words.text[first.start:last.end],
		Bytes:     corpus.Span{Start: first.start, End: last.end},
		StartChar: first.startChar,
		EndChar:   last.endChar,
		Words:     n,
		Boundary:  boundary,
	}
	c.done = n == len(c.window)
	start := c.nextStart(n)
	c.repeated = n - start
	c.drop(start)
	return chunk, true
}

// drop removes the first n words of the window. It moves the rest only when
// that is less than what was dropped, so that a word costs the same however
// many are kept.
func (c *chunker) drop(n int) {
	c.window = c.window[n:]
	if dropped := len(c.read) - len(c.window); dropped > len(c.window) {
		c.looks += len(c.window) // that are moved
		c.read = slices.Delete(c.read, 0, dropped)
		c.window = c.read
	}
}

// fill reads words until the window has n, or all that are left.
func (c *chunker) fill(n int) {
	dropped := len(c.read) - len(c.window)
	for len(c.read)-dropped < n {
		c.looks++
		w, ok := c.words.next()
		if !ok {
			break
		}
		c.read = append(c.read, w)
	}
	c.window = c.read[dropped:]
}

// end returns how many words of the window make the chunk, and why it ends
// there. The window has a word more than the largest chunk, so that it is
// short only at the end of the text.
func (c *chunker) end() (int, corpus.Boundary) {
	fits := sort.Search(len(c.window), func(i int) bool {
		c.looks++
		return c.window[i].end-c.window[0].start > maxChunkBytes
	})
	all := fits == len(c.window)
	if all && fits <= c.options.TargetWords {
		return fits, corpus.BoundaryEnd
	}
	ideal, least, most := min(c.options.TargetWords, fits), c.options.MinWords, min(c.options.MaxWords, fits)
	if fits < c.options.TargetWords {
		least = min(least, (ideal+1)/2)
	}
	least = max(least, c.repeated+1) // a chunk has words that the one before has not
	ideal = max(ideal, least)
	if n, r := c.bestBoundary(ideal, least, most); r != rankNone {
		return n, r.boundary()
	}
	if most == len(c.window) {
		return most, corpus.BoundaryEnd
	}
	return most, corpus.BoundaryHardCut
}

// bestBoundary finds the best rank within reach of the ideal end, and among
// equals the nearest, and then the first.
func (c *chunker) bestBoundary(ideal, least, most int) (n int, best rank) {
	at := func(n int) int { return c.window[n-1].endChar }
	nearest := 0
	for i := ideal; i >= least && at(ideal)-at(i) <= boundaryReach; i-- {
		c.looks++
		if r := c.window[i-1].after; r > best {
			n, best, nearest = i, r, at(ideal)-at(i)
		}
	}
	for i := ideal + 1; i <= most && at(i)-at(ideal) <= boundaryReach; i++ {
		c.looks++
		r, distance := c.window[i-1].after, at(i)-at(ideal)
		if r > best || r != rankNone && r == best && distance < nearest {
			n, best, nearest = i, r, distance
		}
	}
	return n, best
}

// nextStart returns where in the window the chunk after one of n words starts:
// at least half of the n words on, so that the whole takes linear time.
func (c *chunker) nextStart(n int) int {
	first := n - n/2
	for first < n && c.window[n-1].end-c.window[first].start > maxOverlapBytes {
		c.looks++
		first++
	}
	start := max(first, n-max(c.options.OverlapWords, 0))
	inside := func(i int) bool {
		c.looks++
		return i < len(c.window) && c.window[i].fenced
	}
	for i := start; i <= n; i++ {
		if !inside(i) {
			return i
		}
	}
	// The chunk ends within a code block: the next one repeats it from its
	// opening, if that is near.
	for i := start; i >= first; i-- {
		if !inside(i) {
			return i
		}
	}
	return start
}
