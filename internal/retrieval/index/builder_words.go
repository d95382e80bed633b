package index

import "github.com/kappagraph/kappa/internal/retrieval/words"

// builtWord is a word of the entries, with its terms as numbers of the builder.
type builtWord struct {
	word               words.Word // its strings
	text, stem, prefix uint32
	function           bool
	count              uint32
	grams, gramsEnd    uint32
}

// word returns the number of a word.
func (b *builder) word(e *Entry, w words.Word) uint32 {
	w.Start, w.End = 0, 0
	if w.Stem == "" {
		w.Stem = w.Text
	}
	h := hash(w.Text)
	if e.English || w.Stem != w.Text {
		h = fold(h, hash(w.Stem)+1)
	} else {
		w.Stem = "" // the text is found instead
	}
	for slot := b.known.first(h); ; slot = b.known.behind(slot) {
		n, at, found := b.known.next(h, slot)
		if !found {
			b.words = append(b.words, b.newWord(w))
			return b.known.add(h, at)
		}
		if b.words[n].word == w {
			return n
		}
		slot = at
	}
}

// newWord takes a word that is new.
func (b *builder) newWord(w words.Word) builtWord {
	word := builtWord{
		word: w, text: b.fields[Texts].number(w.Text), stem: unstemmed, prefix: none,
		function: words.Function(w.Text), grams: uint32(len(b.gramsOf)),
	}
	if w.Stem != "" {
		word.stem = b.fields[Stems].number(w.Stem)
	}
	for gram := range words.Grams(w.Text) {
		h := hash(gram)
		i, added := b.grams.of(h)
		if added {
			b.counts = append(b.counts, gramCount{hash: h})
			b.counted = append(b.counted, 0)
		}
		b.gramsOf = append(b.gramsOf, i)
	}
	word.gramsEnd = uint32(len(b.gramsOf))
	return word
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
	w := &b.words[word]
	for _, g := range b.gramsOf[w.grams:w.gramsEnd] {
		if b.counted[g] != passage+1 {
			b.counted[g] = passage + 1
			b.counts[g].count++
		}
	}
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
