package client

import (
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/corpus"
)

// set adds a value to a query unless it is "".
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// setTexts adds the values that are not "" to a query.
func setTexts(query url.Values, values map[string]string) {
	for name, value := range values {
		set(query, name, value)
	}
}

// setNumbers adds the numbers that are not 0 to a query.
func setNumbers(query url.Values, numbers map[string]int) {
	for name, n := range numbers {
		if n != 0 {
			query.Set(name, strconv.Itoa(n))
		}
	}
}

// pageValues selects a page.
func pageValues(p corpus.PageQuery) url.Values {
	query := ofOntology(p.Ontology)
	set(query, "cursor", p.Cursor)
	setNumbers(query, map[string]int{"limit": p.Limit, "offset": p.Offset})
	return query
}

// ofOntology selects what an ontology holds; "" selects nothing.
func ofOntology(name string) url.Values {
	query := url.Values{}
	set(query, "ontology", name)
	return query
}
