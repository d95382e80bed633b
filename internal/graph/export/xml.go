package export

import (
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/knowledge/questions"
)

const xmlHead = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

// escaped returns s as text or as an attribute of XML.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder never fails
	return b.String()
}

// property is one thing that is known of a node. Its kind is GraphML's word.
type property struct{ name, kind, value string }

// nodeProperties returns what a format for other programs says of a concept besides
// its id and its label. What is not known is left out.
func nodeProperties(n questions.GraphNode) []property {
	list := []property{{"degree", "int", strconv.Itoa(n.Degree)}}
	if n.Description != nil {
		list = append(list, property{"description", "string", *n.Description})
	}
	if n.Level != nil {
		list = append(list, property{"confidence_level", "string", *n.Level})
	}
	if n.Confidence != nil {
		list = append(list, property{"confidence_score", "double", number(*n.Confidence)})
	}
	if n.Strength != nil {
		list = append(list, property{"grounding_strength", "double", number(*n.Strength)})
	}
	return list
}

// nodeSchema is every property that a node may have.
func nodeSchema() []property {
	return []property{
		{"degree", "int", ""},
		{"description", "string", ""},
		{"confidence_level", "string", ""},
		{"confidence_score", "double", ""},
		{"grounding_strength", "double", ""},
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
