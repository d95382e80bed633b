package vocabulary

import "strings"

// RelationshipType is a word of the vocabulary.
type RelationshipType struct {
	Name     string `json:"relationship_type"` // upper case with underscores
	Category string `json:"category"`
	Builtin  bool   `json:"is_builtin"`
}

// builtinTypes lists the types that every installation knows, by category.
var builtinTypes = []struct {
	category string
	names    string
}{
	{"logical", "IMPLIES CONTRADICTS"},
	{"evidential", "SUPPORTS REFUTES VALIDATES"},
	{"causation", "RESULTS_FROM ENABLES INFLUENCES CAUSES PREVENTS PRODUCES"},
	{"dependency", "REQUIRES DEPENDS_ON CONSUMES USES"},
	{"composition", "COMPLEMENTS EXTENDS PART_OF HAS_PART COMPOSED_OF"},
	{"semantic", "OVERLAPS RELATED_TO OPPOSITE_OF ANALOGOUS_TO DEFINES"},
	{"hierarchical", "SPECIALIZES GENERALIZES INSTANTIATES"},
	{"temporal", "PRECEDES FOLLOWS"},
	{"implementation", "IMPLEMENTED_BY IMPLEMENTS"},
	{"derivation", "DERIVED_FROM"},
}

// BuiltinTypes returns the vocabulary that every installation starts with. The
// prompt, the matcher and the database all take it from here.
func BuiltinTypes() []RelationshipType {
	var types []RelationshipType
	for _, group := range builtinTypes {
		for name := range strings.FieldsSeq(group.names) {
			types = append(types, RelationshipType{Name: name, Category: group.category, Builtin: true})
		}
	}
	return types
}

// TypeRelatedTo is the weakest type: the text mentions two concepts together and does
// not say how they relate.
const TypeRelatedTo = "RELATED_TO"

// SymmetricType reports whether a relationship of a type reads the same in both directions:
// two concepts have one of it, whichever end is named first.
func SymmetricType(name string) bool { return name == TypeRelatedTo }

// LeastRelated is the confidence from which a relationship of the type RELATED_TO is
// shown. Below it is what only stands in the same paragraph: it is stored, and left out
// of answers unless it is asked for.
const LeastRelated = 0.35

// CategoryGenerated is the category of a type that an extractor brought in.
const CategoryGenerated = "llm_generated"
