package export

import (
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// sentence is what formats for other programs have of a sentence that states a
// relationship. Span counts bytes of the document.
type sentence struct {
	Quote      string  `json:"quote"`
	Before     string  `json:"before,omitempty"` // the sentence before, when the quote refers to it
	DocumentID string  `json:"document_id"`
	Document   string  `json:"document"` // its file's name
	Ontology   string  `json:"ontology"`
	Place      string  `json:"place,omitempty"` // page and section
	Confidence float64 `json:"confidence"`
	corpus.Span
}

func sentenceOf(e knowledge.EdgeEvidence) sentence {
	s := sentence{Quote: e.Quote, DocumentID: e.DocumentID, Ontology: e.Document, Place: e.Place(), Confidence: e.Confidence, Span: e.Span}
	if e.Filename != nil {
		s.Document = *e.Filename
	}
	if e.Before != nil {
		s.Before = e.Before.Quote
	}
	return s
}

func sentencesOf(e questions.SubgraphEdge) []sentence {
	list := make([]sentence, len(e.Evidence))
	for i, v := range e.Evidence {
		list[i] = sentenceOf(v)
	}
	return list
}
