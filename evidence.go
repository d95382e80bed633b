package kappa

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
	HasImage       *bool   `json:"has_image"`
	ImageURI       *string `json:"image_uri"`
	Span
}
