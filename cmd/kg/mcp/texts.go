package mcp

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	maxSourceBytes = 16_000
)

// addTexts adds the tools that read the texts of documents.
func (t toolset) addTexts(s *shelf) {
	add(s, tool[askInput]{
		name: "ask", title: "Ask the documents", kind: reads, needs: access.GraphRead, do: t.ask,
		example: `{"question":"When was the bridge opened?","ontology":"minutes","limit":3}`,
		about:   "Finds the passages of the documents that answer a question, best first, each with the sentence that answers, its document, page or section and bytes, and the relationships that they state. Says first which words of the question stand in no document, which were taken for slips of others, and when what is shown is the nearest but probably no answer.",
	})
	add(s, tool[answerInput]{
		name: "answer", title: "Have a model answer", kind: reads, needs: access.IngestCreate, do: t.answer,
		example: `{"question":"Why was the bridge closed?","offer_only":true}`,
		about:   "Has the server's own model answer a question from the passages that are found, in sentences that each cite their passages; sentences whose passages do not bear them out are left out. It costs what the model's provider charges: with offer_only it says how much at most, and calls no model. Where you can read the passages of ask yourself, that is free.",
	})
	add(s, tool[documentsInput]{
		name: "documents", title: "List documents", kind: reads, needs: access.GraphRead, do: t.documents,
		example: `{"ontology":"minutes","limit":30}`,
		about:   "Lists the documents that were ingested, with their sizes in chunks and concepts.",
	})
	add(s, tool[sourceInput]{
		name: "source", title: "Read a chunk", kind: reads, needs: access.SourcesRead, do: t.source,
		example: `{"id":"sha256:0f3a_chunk2"}`,
		about:   "Shows the whole text of a chunk of a document, by the source id that quotes and passages name.",
	})
}

type askInput struct {
	Question string `json:"question" jsonschema:"the question, in words"`
	passageFilter
	Thread []string `json:"thread,omitempty" jsonschema:"the questions before, the last one last, so that 'and when was it built?' is understood"`
	Exact  bool     `json:"exact,omitempty" jsonschema:"take no word for a misspelling"`
	AsOf   string   `json:"as_of,omitempty" jsonschema:"answer from what stood then: a time such as 2026-01-31T08:00:00Z, or the number of an epoch"`
	Limit  int      `json:"limit,omitempty" jsonschema:"how many passages" bounds:"1..20" standard:"5"`
	Offset int      `json:"offset,omitempty" jsonschema:"how many passages to leave out, for the next page" bounds:"0.."`
}

func (in askInput) question() questions.Question {
	return questions.Question{
		Text: in.Question, Limit: in.Limit, Offset: in.Offset,
		AskFilter: in.filter(), Thread: in.Thread, Exact: in.Exact, IncludeEvidence: true, AsOf: in.AsOf,
	}
}

func (t toolset) ask(ctx context.Context, in askInput, out *text) error {
	answer, err := t.c.Graph.Ask(ctx, in.question())
	if err != nil {
		return err
	}
	for _, remark := range answer.Remarks() {
		out.line("%s", oneLine(remark))
	}
	if len(answer.Passages) == 0 {
		if err := t.inOntology(ctx, in.Ontology, out, "The documents say nothing about that."); err != nil {
			return err
		}
	}
	for i, p := range answer.Passages {
		out.passage(i+1+in.Offset, p)
	}
	if answer.More {
		out.more(in.Offset + len(answer.Passages))
	}
	out.listing(answer.Listing)
	out.paths(answer.Paths)
	for _, r := range answer.Relationships {
		out.line("%s [%s] -%s-> %s [%s]", out.concept(r.FromID, r.FromLabel), r.FromID, r.Type, out.concept(r.ToID, r.ToLabel), r.ToID)
		out.stated(r.Evidence)
	}
	return nil
}

// passage writes a passage: the sentence that answers, where it stands, and its text.
func (t *text) passage(number int, p questions.AskPassage) {
	place := t.of(p.SourceID, cmp.Or(p.Name, p.Filename), p.Document)
	if p.Section != nil {
		place += ", section " + quoted(*p.Section)
	}
	if p.Page != nil {
		place += ", page " + strconv.Itoa(*p.Page)
	}
	if p.Nearest {
		place += ", nearest, but probably no answer"
	}
	if p.Sentence != nil {
		t.line("%d. %s", number, quoted(p.Sentence.Text))
		t.line("   %s, bytes %d-%d, source %s", place, p.Start, p.End, p.SourceID)
	} else {
		t.line("%d. %s, bytes %d-%d, source %s", number, place, p.Start, p.End, p.SourceID)
	}
	if p.Exact != nil {
		t.line("   %s: %s", p.Exact.Kind, quoted(p.Exact.Text))
	}
	if body := strings.Join(strings.Fields(p.Text), " "); p.Sentence == nil || body != oneLine(p.Sentence.Text) {
		t.line("   %s", body)
	}
	if len(p.AlsoIn) > 0 {
		t.line("   also in %s", allQuoted(p.AlsoIn))
	}
}

type documentsInput struct {
	Ontology string `json:"ontology,omitempty" jsonschema:"only of this ontology"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many" bounds:"1..100" standard:"30"`
	Offset   int    `json:"offset,omitempty" jsonschema:"how many to leave out, for the next page" bounds:"0.."`
}

func (t toolset) documents(ctx context.Context, in documentsInput, out *text) error {
	list, err := t.c.Documents.List(ctx, corpus.PageQuery{Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return err
	}
	for _, d := range list.Documents {
		out.line("%s (%s): %d chunks, %d concepts, id %s", out.name(aDocument, d.DocumentID, cmp.Or(d.Name, d.Filename)), quoted(d.Ontology), d.SourceCount, d.ConceptCount, d.DocumentID)
	}
	out.page(in.Offset, len(list.Documents), list.Total)
	if list.Total == 0 {
		return t.inOntology(ctx, in.Ontology, out, "There are no documents. ingest takes one.")
	}
	return nil
}

type sourceInput struct {
	ID string `json:"id" jsonschema:"the source id, as quotes and passages name it"`
}

func (t toolset) source(ctx context.Context, in sourceInput, out *text) error {
	s, err := t.c.Sources.Get(ctx, in.ID)
	if err != nil {
		return err
	}
	out.line("%s, chunk %d, bytes %d-%d of document %s", out.of(s.SourceID, s.Filename, s.Document), s.Paragraph, s.Start, s.End, s.DocumentID)
	for line := range strings.Lines(s.FullText[:min(len(s.FullText), maxSourceBytes)]) {
		out.line("%s", strings.ToValidUTF8(strings.TrimSuffix(line, "\n"), ""))
	}
	if len(s.FullText) > maxSourceBytes {
		out.line("(the rest of the chunk, %d bytes, is not shown)", len(s.FullText)-maxSourceBytes)
	}
	return nil
}
