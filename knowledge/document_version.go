package knowledge

import "github.com/kappagraph/kappa/corpus"

// DocumentVersion is a new version of a document, which is written as a whole: what stood before
// goes in the same moment.
type DocumentVersion struct {
	Document corpus.Document
	Chunks   []ChunkGraph // all of them, in their order
	Matcher  func() Matcher
	Embedded NewEmbeddings // of texts that concepts may be named by then
}
