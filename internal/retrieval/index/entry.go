package index

import "github.com/kappagraph/kappa/internal/retrieval/words"

// Field is a kind of term.
type Field uint8

// The kinds of terms.
const (
	Texts    Field = iota // words as they are written, folded
	Stems                 // words without their endings, of English passages
	Prefixes              // the first letters of words, of passages in other languages
	Grams                 // runs of four letters inside words
)

// Entry is a passage as it is put into the index. Numbers are those of the tables.
type Entry struct {
	ID, Source, Document, Ontology int32
	// Stamp is of the document's row: with another one, Around is out of date.
	Stamp int32
	// Class is 0 for main text, and Kind which class it is of, as the caller numbers them.
	Class, Kind uint8
	// Language has at most seven bytes.
	Language string
	// English passages are found by their stems, without words of no meaning; others by
	// their words and by the first letters of these.
	English bool
	Text    words.Text
	// Around are the words of its headings, title, file name and path. They find it too, and
	// weigh less.
	Around []words.Word
	// Definitions are the folded terms that it defines.
	Definitions []string
}

// aroundCounts is how often a word around a passage counts as being in it. It counts once.
const aroundCounts = 0.3
