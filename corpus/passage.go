package corpus

import (
	"slices"

	"github.com/kappagraph/kappa"
)

// PassageClass says what a passage is, by how it is written.
type PassageClass string

// SectionSeparator stands between the headings of a path.
const SectionSeparator = " > "

// The sections of what stands around the main text of a page: no heading is above it. A passage
// there is of the class that the section names.
const (
	SectionNavigation = "(navigation)"
	SectionNotice     = "(beside the text)"
)

// The classes of passages. The first four are what a document says; the others stand around
// it, and rank behind.
const (
	ClassProse      PassageClass = "prose"
	ClassList       PassageClass = "list"
	ClassTable      PassageClass = "table"
	ClassCode       PassageClass = "code"
	ClassNavigation PassageClass = "navigation" // menus and lists of links
	ClassNotice     PassageClass = "notice"     // of cookies, of copyright, to subscribe
	ClassContents   PassageClass = "contents"   // a table of contents, or an index
	ClassReferences PassageClass = "references" // works that are cited
	ClassLicence    PassageClass = "licence"
	ClassMarkup     PassageClass = "markup" // rests of HTML, of templates, of metadata
)

// PassageClasses returns every class, those of the main text first.
func PassageClasses() []PassageClass {
	return []PassageClass{
		ClassProse, ClassList, ClassTable, ClassCode, ClassNavigation, ClassNotice, ClassContents, ClassReferences, ClassLicence, ClassMarkup,
	}
}

// Main reports a passage of the main text.
func (c PassageClass) Main() bool { return slices.Contains(PassageClasses()[:4], c) }

// Passage is a part of a document that can be read alone: a paragraph or a few short ones, a
// list, rows of a table, or a block of code. No two passages of a document overlap.
type Passage struct {
	Number    int    // in the document, from 1
	Span             // of the document's text: Text is what stands there
	StartChar int    // the same in characters (Unicode code points)
	EndChar   int    //
	Text      string // without white space around it
	Class     PassageClass
	Language  string   // ISO 639-1, as "en"; "" when it is not clear
	Page      int      // from 1; 0 is unknown
	Section   string   // the path of headings, "Setup > Install"; "" is none
	Columns   []string // the names of the columns of a table
	Defines   []string // the terms that it defines, as they are written
}

// PassageKey names a stored passage, and what is said of it besides its text, by the numbers
// of the rows.
type PassageKey struct {
	ID, Source, Document, Ontology int32
	// Stamp is made of the document's content, its name, its path and its ontology. When it is
	// another one, those have changed.
	Stamp int32
}

// StoredPassage is a passage with all that it is found by.
type StoredPassage struct {
	PassageKey
	Passage
	Filename string
	Path     string // where the document was submitted from; "" when that is not known
	Title    string // the first heading of the document; "" is none
}

// ShownPassage is a passage as an answer shows it.
type ShownPassage struct {
	StoredPassage
	DocumentID   string
	OntologyName string
	SourceID     string // the chunk in which it ends
	Chunk        int    // the number of that
	ContentType  ContentType
	CreatedAt    kappa.Time // when the document was ingested first
}
