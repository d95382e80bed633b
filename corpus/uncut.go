package corpus

import "slices"

// CutterVersion is the version of the rules by which documents are cut into passages, with what
// these define. A release that cuts otherwise raises it: what an older one has cut is cut again.
const CutterVersion = 2

// UncutDocument is a document with chunks of which no passages were cut, or by older rules: an
// older version wrote it, or it came from an archive.
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
	IsCut     bool // its passages are there, by these rules: it is the context of the others
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
