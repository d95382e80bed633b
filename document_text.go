package kappa

// DocumentText is what was read of a document: what chunks are cut from, and what
// the offsets of quotes count in. The document itself keeps its own bytes.
type DocumentText struct {
	Text     string      // UTF-8, without NUL bytes
	Markup   ContentType // ContentPlain or ContentMarkdown
	Warnings []string    // what could not be read, or was not certain; a sentence each
}
