package mcp

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The kinds of things that have an id.
const (
	aConcept   = "concept"
	aDocument  = "document"
	aSource    = "source"
	aJob       = "job"
	anOntology = "ontology"
)

// answer is what a tool answers, for programs: the text that a model reads, the ids in it,
// and how to go on, so that no program has to find them in the text.
type answer struct {
	Text  string  `json:"text" jsonschema:"the answer as a model reads it"`
	Named []named `json:"named" jsonschema:"what has an id in the text, in its order, each once"`
	Total *int    `json:"total,omitempty" jsonschema:"how many there are in all, where that is counted"`
	Next  *next   `json:"next,omitempty" jsonschema:"the argument that gets more of the same; none at the end"`
}

// named is a thing that a text names.
type named struct {
	Kind string `json:"kind" jsonschema:"what it is" oneof:"concept document source job ontology"`
	ID   string `json:"id" jsonschema:"as other tools take it"`
	Name string `json:"name,omitempty" jsonschema:"what it is called"`
}

// next is where a list goes on: one of the two.
type next struct {
	Offset *int    `json:"offset,omitempty"`
	Cursor *string `json:"cursor,omitempty"`
}

// answerSchema describes what every tool answers.
func answerSchema() *jsonschema.Schema {
	s := schemaOf[answer](`{"text":"1. \"A lane is a named group of job types.\"","named":[{"kind":"source","id":"sha256:0f_chunk1","name":"lanes.md"}],"next":{"offset":5}}`)
	s.Properties["named"].Items.Properties["kind"].Enum = []any{aConcept, aDocument, aSource, aJob, anOntology}
	return s
}

// concept names a concept; what it returns can be told from every other text.
func (t *text) concept(id, label string) string { return t.name(aConcept, id, label) }

// name notes that a text names a thing, and returns its name in quotes.
func (t *text) name(kind, id, name string) string {
	n := named{Kind: kind, ID: id, Name: oneLine(name)}
	if id != "" && t.cut == 0 && !t.has[n] {
		if t.has == nil {
			t.has = map[named]bool{}
		}
		t.has[n] = true
		t.named = append(t.named, n)
	}
	return quoted(name)
}

// quoted returns a name that somebody else chose, in quotes and on one line, with what is not
// seen written out: it cannot be taken for a citation, an id or an instruction.
func quoted(name string) string { return strconv.Quote(oneLine(name)) }

// allQuoted returns names in quotes, with commas between them.
func allQuoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = quoted(name)
	}
	return strings.Join(all, ", ")
}

// page says which of a list are shown, when that is not all, and how to go on.
func (t *text) page(offset, shown, total int) {
	t.total = &total
	if end := offset + shown; end < total && shown > 0 {
		t.next = &next{Offset: &end}
		t.line("%d to %d of %d are shown; the next ones: offset %d.", offset+1, end, total, end)
	}
}

// more says that a list goes on, of which nobody has counted the whole.
func (t *text) more(offset int) {
	t.next = &next{Offset: &offset}
	t.line("There are more; the next ones: offset %d.", offset)
}

// mayBeMore says that a list has as many as were asked for, and may go on.
func (t *text) mayBeMore(offset int) {
	t.next = &next{Offset: &offset}
	t.line("There may be more; the next ones: offset %d.", offset)
}

// moreAt says that a list goes on at a cursor.
func (t *text) moreAt(cursor string) {
	t.next = &next{Cursor: &cursor}
	t.line("There are more; the next ones: cursor %s", cursor)
}

// answer returns the whole answer.
func (t *text) answer() (json.RawMessage, error) {
	return json.Marshal(answer{Text: t.String(), Named: append([]named{}, t.named...), Total: t.total, Next: t.next})
}
