package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/kappagraph/kappa"
)

// argumentNames turns names of the API into those of the tools' arguments.
var argumentNames = strings.NewReplacer(
	"concepts[0].", "", "edges[0].", "", "from_concept_id", "from_id", "to_concept_id", "to_id", "from_query", "from", "to_query", "to",
	"positive_pole_id", "positive_id", "negative_pole_id", "negative_id", "max_candidates", "limit", "relationship_types", "types",
	"relationship_type", "type", "max_depth", "depth", "--min-similarity", "min_similarity",
)

// whereToFind says for a tool which other one names what it did not find.
var whereToFind = map[string]string{
	"concept": "search finds the ids of concepts", "related": "search finds the ids of concepts", "edge": "concept shows the relationships of one, and search finds the ids of concepts", "polarity": "search finds the ids of concepts",
	"lifetime": "search finds the ids of concepts", "create_edge": "search finds the ids of concepts", "add_evidence": "search finds the ids of concepts", "keep_apart": "namesakes lists the ids",
	"connect": "search shows what there is", "about": "ontologies lists what there is", "source": "ask, search and concept name the sources of what they quote",
	"edit_concept": "search finds the ids of concepts", "delete_note": "search finds the ids of concepts", "delete_relationship": "concept shows the relationships of one",
	"document": "documents lists what there is", "undo_job": "jobs lists what there is", "wait_job": "jobs lists what there is",
	"job": "jobs lists what there is", "approve_job": "jobs lists what there is", "cancel_job": "jobs lists what there is",
}

// refusal returns what a model reads of a tool's error: in the words of its arguments, and
// with how to go on.
func refusal(tool string, err error) error {
	message := tool + ": " + argumentNames.Replace(err.Error())
	if hint := whereToFind[tool]; hint != "" && kappa.ErrorCode(err) == kappa.CodeNotFound {
		message += "; " + hint
	}
	return errors.New(message)
}

// inOntology says that nothing was found, or, when an ontology was named, that there is
// none of that name: a misspelt one would read as if the documents said nothing.
func (t toolset) inOntology(ctx context.Context, name string, out *text, nothing string, values ...any) error {
	if name == "" {
		out.line(nothing, values...)
		return nil
	}
	switch _, err := t.c.Ontologies.Get(ctx, name); kappa.ErrorCode(err) {
	case kappa.CodeNotFound:
		out.line("There is no ontology %q; ontologies lists what there is.", oneLine(name))
	case kappa.CodeForbidden, "":
		out.line(nothing, values...)
	default:
		return err
	}
	return nil
}
