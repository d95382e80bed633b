package mcp

import "github.com/kappagraph/kappa/knowledge/questions"

// passageFilter narrows the passages that are looked at.
type passageFilter struct {
	Ontology   string   `json:"ontology,omitempty" jsonschema:"only documents of this ontology"`
	Ontologies []string `json:"ontologies,omitempty" jsonschema:"only documents of these ontologies"`
	Documents  []string `json:"document_ids,omitempty" jsonschema:"only these documents"`
	Kinds      []string `json:"kinds,omitempty" jsonschema:"only documents of these kinds: pdf, markdown, html, docx, pptx, odt, email, source …"`
	Languages  []string `json:"languages,omitempty" jsonschema:"only passages in these languages, such as en or de"`
	Classes    []string `json:"classes,omitempty" jsonschema:"only passages of these classes: prose, list, table, code …"`
}

func (in passageFilter) filter() questions.AskFilter {
	f := questions.AskFilter{Ontologies: in.Ontologies, DocumentIDs: in.Documents, Kinds: in.Kinds, Languages: in.Languages, Classes: in.Classes}
	if in.Ontology != "" {
		f.Ontologies = append(f.Ontologies, in.Ontology)
	}
	return f
}
