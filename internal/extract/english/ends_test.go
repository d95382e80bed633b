package english

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// TestEndsThatFit has what is stated of ends that fit a type, and not of others.
func TestEndsThatFit(t *testing.T) {
	checkExamples(t, corpus.ContentPlain, []example{
		{"what a thing has", "The kettle has a whistle.", "kettle HAS_PART whistle"},
		{"what a person has", "The assistant has a telephone.", ""},
		{"what is no part of anything", "The algorithm has a drawback.", ""},
		{"a quality", "The glue has resistance.", ""},
		{"a part with such an ending", "The ship has a compartment.", "ship HAS_PART compartment"},
		{"who founds", "The company established a laboratory.", "company FOUNDED laboratory"},
		{"what founds nothing", "The architecture established a highway.", ""},
		{"what replaces", "The window was replaced by a door.", "door REPLACES window"},
		{"who replaces", "The window was replaced by the staff.", ""},
		{"from a place", "The flour from Graz is white.", "flour DERIVED_FROM Graz"},
		{"people from a place", "The girlfriend from Graz is ill.", ""},
		{"a form", "Job Title: Attorney Location: Houston, Texas Compensation: 60 dollars. Our client is a firm.", "client SPECIALIZES firm"},
	})
}

// TestRoughSentences has what sentences class that were written with care.
func TestRoughSentences(t *testing.T) {
	checkExamples(t, corpus.ContentPlain, []example{
		{"a fragment that ends", "The Kessel Bakery, a family firm.", "Kessel Bakery INSTANTIATES family firm"},
		{"a rough one", "OK Food, Slow service", ""},
		{"an amount", "The kettle holds 18 g of coffee.", "kettle HAS_PART coffee"},
	})
}
