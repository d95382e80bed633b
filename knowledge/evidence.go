package knowledge

import "github.com/kappagraph/kappa/corpus"

// Evidence is a quote and its place in a document. Span counts bytes of the document.
type Evidence struct {
	Quote          string  `json:"quote"`
	Document       string  `json:"document"`  // the ontology's name
	Paragraph      int     `json:"paragraph"` // the chunk's number
	SourceID       string  `json:"source_id"`
	DocumentID     string  `json:"document_id"`
	Filename       *string `json:"filename"`
	SourceType     *string `json:"source_type"`
	SourcePath     *string `json:"source_path"`
	SourceHostname *string `json:"source_hostname"`
	ContentType    *string `json:"content_type"`
	Page           *int    `json:"page"`      // from 1; nil when the document has no pages
	Section        *string `json:"section"`   // the headings above, "Setup > Install"; nil without
	FullText       *string `json:"full_text"` // of the chunk; only in the details of a concept
	HasImage       *bool   `json:"has_image"`
	ImageURI       *string `json:"image_uri"`
	corpus.Span
}

// Place says where in its document the quote stands: "page 3", "Setup > Install", or ""
// when the document has neither pages nor headings.
func (e Evidence) Place() string {
	var p corpus.Place
	if e.Page != nil {
		p.Page = *e.Page
	}
	if e.Section != nil {
		p.Section = *e.Section
	}
	return p.String()
}
