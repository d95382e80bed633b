package index

import (
	"cmp"
	"io"
	"slices"
)

// builder makes segments of entries. Its memory is used again.
type builder struct {
	fields    [postedFields]terms
	frequency []uint32 // of texts: how many passages have it
	latest    []uint32 // of texts: one more than the last passage that has it
	known     numbering
	words     []builtWord
	grams     numbering
	counts    []gramCount
	counted   []uint32 // of grams: one more than the last passage that has it
	gramsOf   []uint32 // of all words, one behind the other
	passages  []builtPassage
	flat      []uint32 // words of all passages, and those around
	around    []aroundTerm
	writer    passageWriter
}

// builtPassage is a passage whose words are numbers of the builder.
type builtPassage struct {
	row               row
	start, words, end uint32 // of its words and of those around, in flat
	sentences         []int
}

// aroundTerm is a term around the passage at hand.
type aroundTerm struct {
	field  Field
	number uint32
}

// build writes a segment of at least one entry. Impacts are reckoned with an average length.
func (b *builder) build(to io.Writer, h *head, entries []Entry, average float64) error {
	defer b.reset()
	b.reset()
	for i := range entries {
		b.add(&entries[i])
	}
	h.Average = average
	return b.write(&sections{to: to}, h)
}

// manyWords is how many words a builder may keep the memory of.
const manyWords = 1 << 20

// reset lets go of the entries.
func (b *builder) reset() {
	if cap(b.flat) > manyWords {
		*b = builder{}
	}
	for f := range b.fields {
		b.fields[f].reset()
	}
	b.known.reset()
	b.grams.reset()
	clear(b.words)
	clear(b.passages)
	b.frequency, b.latest, b.words, b.counts = b.frequency[:0], b.latest[:0], b.words[:0], b.counts[:0]
	b.counted, b.gramsOf, b.passages, b.flat = b.counted[:0], b.gramsOf[:0], b.passages[:0], b.flat[:0]
	b.writer = passageWriter{rows: b.writer.rows[:0], ids: b.writer.ids[:0], documents: b.writer.documents[:0]}
}

// add takes an entry.
func (b *builder) add(e *Entry) {
	passage := uint32(len(b.passages))
	for f := range b.fields {
		b.fields[f].begin()
	}
	p := builtPassage{start: uint32(len(b.flat)), sentences: e.Text.Sentences}
	for _, w := range e.Text.Words {
		n := b.word(e, w)
		b.flat = append(b.flat, n)
		b.words[n].count++
		b.count(n, passage)
		b.posted(e, n, func(f Field, term uint32) { b.fields[f].occur(term, passage, 1) })
	}
	p.words = uint32(len(b.flat))
	b.around = b.around[:0]
	for _, w := range e.Around {
		n := b.word(e, w)
		b.flat = append(b.flat, n)
		b.has(n, passage)
		b.posted(e, n, func(f Field, term uint32) { b.besides(aroundTerm{f, term}, passage) })
	}
	p.end = uint32(len(b.flat))
	p.row = row{
		Meta: Meta{
			ID: e.ID, Source: e.Source, Document: e.Document, Ontology: e.Ontology,
			Class: e.Class, Kind: e.Kind, Language: e.Language, English: e.English,
		},
		stamp: e.Stamp, length: p.words - p.start, tongue: b.writer.language(e.Language),
	}
	b.passages = append(b.passages, p)
	b.writer.documents = append(b.writer.documents, e.Document)
	for _, term := range e.Definitions {
		b.writer.definitions = append(b.writer.definitions, definition{term, passage})
	}
}

// besides counts a term around a passage: once, however often it stands there.
func (b *builder) besides(t aroundTerm, passage uint32) {
	if !slices.Contains(b.around, t) {
		b.around = append(b.around, t)
		b.fields[t.field].occur(t.number, passage, aroundCounts)
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
		all := b.flat[p.start:p.end]
		for j, n := range all {
			all[j] = renumbered[n]
		}
		forward = appendForward(forward, all[:p.words-p.start], p.sentences, all[p.words-p.start:])
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
	w := newDictionaryWriter(out, f)
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
