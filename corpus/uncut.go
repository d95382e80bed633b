package corpus

import "slices"

// UncutDocument is a document with chunks of which no passages were cut: an older version
// wrote it, or it came from an archive.
type UncutDocument struct {
	Number      int32 // of its row
	DocumentID  string
	ContentType ContentType
}

// UncutChunk is a chunk of such a document.
type UncutChunk struct {
	Number    int32 // of its row
	Text      string
	Bytes     Span
	StartChar int
	Boundary  Boundary
	IsCut     bool // its passages are there: it is the context of the others
	Places    []Place
}

// Markup says what the text of a document of this type is written in: ContentMarkdown or
// ContentPlain.
func (c ContentType) Markup() ContentType {
	if slices.Contains([]ContentType{ContentPlain, ContentPDF, ContentCSV, ContentJSON, ContentLog}, c.Base()) || !c.Known() {
		return ContentPlain
	}
	return ContentMarkdown
}
