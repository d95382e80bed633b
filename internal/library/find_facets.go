package library

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// facets counts what was found by each filter that would narrow it down.
func (x *finding) facets(concepts, documents int) questions.FoundFacets {
	ontologies, kinds, languages, classes := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	known := corpus.PassageClasses()
	for i := range x.passages {
		p := &x.passages[i]
		d := x.read.Documents[p.Document]
		ontologies[d.Ontology]++
		kinds[d.ContentType.Kind()]++
		languages[p.Language]++
		if int(p.Kind) < len(known) {
			classes[string(known[p.Kind])]++
		}
	}
	delete(languages, "") // of no clear language, which no filter asks for
	return questions.FoundFacets{
		Find:       counted(map[string]int{questions.FoundConcept: concepts, questions.FoundDocument: documents, questions.FoundPassage: len(x.passages)}),
		Ontologies: counted(ontologies), Kinds: counted(kinds), Languages: counted(languages), Classes: counted(classes),
	}
}

// counted returns the counts above 0, the largest first.
func counted(of map[string]int) []questions.FacetCount {
	all := make([]questions.FacetCount, 0, len(of))
	for value, n := range of {
		if n > 0 {
			all = append(all, questions.FacetCount{Value: value, Count: n})
		}
	}
	slices.SortFunc(all, func(a, b questions.FacetCount) int {
		return cmp.Or(-cmp.Compare(a.Count, b.Count), cmp.Compare(a.Value, b.Value))
	})
	return all
}
