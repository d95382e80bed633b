package index

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// builder makes a segment of entries.
type builder struct {
	fields    [postedFields]terms
	frequency []uint32 // of texts: how many passages have it
	latest    []uint32 // of texts: one more than the last passage that has it
	known     map[spelled]uint32
	words     []builtWord
	grams     map[uint64]uint32
	counts    []gramCount
	counted   []uint32 // of grams: one more than the last passage that has it
	passages  []builtPassage
	flat      []uint32 // words of all passages, and those around
	writer    passageWriter
}

// spelled is a word: its text and its stem, which is "" where the text is found instead.
type spelled struct{ text, stem string }

type builtWord struct {
	text, stem, prefix uint32
	function           bool
	count              uint32
	grams              []uint32
}

// builtPassage is a passage whose words are numbers of the builder.
type builtPassage struct {
	row           row
	words, around []uint32
	sentences     []int
}

// build writes a segment of at least one entry. Impacts are reckoned with an average length.
func build(to io.Writer, h *head, entries []Entry, average float64) error {
	b := newBuilder(len(entries))
	for i := range entries {
		b.add(&entries[i])
	}
	h.Average = average
	return b.write(&sections{to: to}, h)
}

func newBuilder(passages int) *builder {
	size := min(64*passages, 1<<14)
	b := &builder{
		known: make(map[spelled]uint32, size), grams: make(map[uint64]uint32, 2*size),
		passages: make([]builtPassage, 0, passages),
	}
	for f := range b.fields {
		b.fields[f] = newTerms(size)
	}
	return b
}

// add takes an entry.
func (b *builder) add(e *Entry) {
	passage := uint32(len(b.passages))
	for f := range b.fields {
		b.fields[f].begin()
	}
	start := len(b.flat)
	for _, w := range e.Text.Words {
		n := b.word(e, w)
		b.flat = append(b.flat, n)
		b.words[n].count++
		b.count(n, passage)
		b.post(e, n, passage, 1)
	}
	end := len(b.flat)
	for _, w := range e.Around {
		b.flat = append(b.flat, b.word(e, w))
	}
	b.around(e, b.flat[end:], passage)
	b.passages = append(b.passages, builtPassage{
		row: row{
			Meta: Meta{
				ID: e.ID, Source: e.Source, Document: e.Document, Ontology: e.Ontology,
				Class: e.Class, Language: e.Language, English: e.English,
			},
			stamp: e.Stamp, length: uint32(len(e.Text.Words)), tongue: b.writer.language(strings.Clone(e.Language)),
		},
		words: b.flat[start:end:end], around: b.flat[end:len(b.flat):len(b.flat)], sentences: e.Text.Sentences,
	})
	b.writer.documents = append(b.writer.documents, e.Document)
	for _, term := range e.Definitions {
		b.writer.definitions = append(b.writer.definitions, definition{term, passage})
	}
}

// around counts the words around a passage: each once, however often it stands there.
func (b *builder) around(e *Entry, all []uint32, passage uint32) {
	type term struct {
		field  Field
		number uint32
	}
	seen := make([]term, 0, 2*len(all))
	for _, n := range all {
		b.has(n, passage)
		b.posted(e, n, func(f Field, number uint32) {
			if t := (term{f, number}); !slices.Contains(seen, t) {
				seen = append(seen, t)
				b.fields[f].occur(number, passage, aroundCounts)
			}
		})
	}
}

// word returns the number of a word.
func (b *builder) word(e *Entry, w words.Word) uint32 {
	key := spelled{w.Text, w.Stem}
	if !e.English && w.Stem == w.Text {
		key.stem = ""
	}
	if n, ok := b.known[key]; ok {
		return n
	}
	word := builtWord{text: b.fields[Texts].number(w.Text), stem: unstemmed, prefix: none, function: words.Function(w.Text)}
	if key.stem != "" {
		word.stem = b.fields[Stems].number(w.Stem)
	}
	for gram := range words.Grams(w.Text) {
		h := hash(gram)
		i, ok := b.grams[h]
		if !ok {
			i = uint32(len(b.counts))
			b.grams[h] = i
			b.counts = append(b.counts, gramCount{hash: h})
			b.counted = append(b.counted, 0)
		}
		word.grams = append(word.grams, i)
	}
	n := uint32(len(b.words))
	b.known[key] = n
	b.words = append(b.words, word)
	return n
}

// has counts a passage for the text of a word, and returns false when it was counted before.
func (b *builder) has(word, passage uint32) bool {
	text := b.words[word].text
	for len(b.latest) <= int(text) {
		b.latest = append(b.latest, 0)
		b.frequency = append(b.frequency, 0)
	}
	if b.latest[text] == passage+1 {
		return false
	}
	b.latest[text] = passage + 1
	b.frequency[text]++
	return true
}

// count counts a passage for a word and for its grams.
func (b *builder) count(word, passage uint32) {
	if !b.has(word, passage) {
		return
	}
	for _, g := range b.words[word].grams {
		if b.counted[g] != passage+1 {
			b.counted[g] = passage + 1
			b.counts[g].count++
		}
	}
}

func (b *builder) post(e *Entry, word, passage uint32, times float32) {
	b.posted(e, word, func(f Field, term uint32) { b.fields[f].occur(term, passage, times) })
}

// posted calls yield with the terms by which a word is found.
func (b *builder) posted(e *Entry, word uint32, yield func(f Field, term uint32)) {
	w := &b.words[word]
	switch {
	case !e.English:
		if w.prefix == none {
			w.prefix = b.fields[Prefixes].number(words.Prefix(b.fields[Texts].all[w.text]))
		}
		yield(Texts, w.text)
		yield(Prefixes, w.prefix)
	case !w.function:
		yield(Stems, w.stem)
	}
}

// write writes the segment.
func (b *builder) write(out *sections, h *head) error {
	var places [postedFields][]uint32
	for f := range b.fields {
		places[f] = b.writeField(out, Field(f), h.Average)
	}
	renumbered := b.writeWords(out, places)
	var forward []byte
	for i := range b.passages {
		p := &b.passages[i]
		for _, list := range [][]uint32{p.words, p.around} {
			for j, n := range list {
				list[j] = renumbered[n]
			}
		}
		forward = appendForward(forward, p.words, p.sentences, p.around)
		p.row.forward = uint32(len(forward))
		b.writer.add(&p.row)
	}
	out.whole(forwardSection, forward)
	b.writer.finish(out)
	slices.SortFunc(b.counts, func(a, b gramCount) int { return cmp.Compare(a.hash, b.hash) })
	writeGrams(out, b.counts)
	h.Words, h.Languages = b.writer.words, b.writer.languages
	return out.finish(h)
}

// writeField writes the terms of a field, and returns the place of each.
func (b *builder) writeField(out *sections, f Field, average float64) (places []uint32) {
	t := &b.fields[f]
	order, places := t.sorted()
	all, ends := t.grouped()
	w := newDictionaryWriter(out, f, b.writer.documents)
	var passages []uint32
	var impacts []byte
	for _, term := range order {
		passages, impacts = passages[:0], impacts[:0]
		start := uint32(0)
		if term > 0 {
			start = ends[term-1]
		}
		for _, o := range all[start:ends[term]] {
			passages = append(passages, o.passage)
			impacts = append(impacts, impactOf(float64(o.times), saturation(b.passages[o.passage].row.length, average)))
		}
		frequency := uint32(len(passages))
		if f == Texts {
			frequency = b.frequency[term]
		}
		w.add(t.all[term], frequency, passages, impacts)
	}
	w.finish()
	return places
}

// writeWords writes the table of words, the most frequent first, and returns the number of
// each in it.
func (b *builder) writeWords(out *sections, places [postedFields][]uint32) (renumbered []uint32) {
	table := make([]countedWord, len(b.words))
	for i, w := range b.words {
		table[i] = countedWord{text: places[Texts][w.text], stem: unstemmed, count: w.count}
		if w.stem != unstemmed {
			table[i].stem = places[Stems][w.stem]
		}
	}
	return writeWords(out, table)
}
