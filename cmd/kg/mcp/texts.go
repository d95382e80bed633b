package mcp

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	defaultDocuments = 30
	maxDocuments     = 100
	maxSourceBytes   = 16_000
)

// addTexts adds the tools that read the texts of documents.
func (t toolset) addTexts(s *shelf) {
	add(s, tool[askInput]{
		name: "ask", title: "Ask the documents", kind: reads, needs: access.GraphRead, do: t.ask,
		about: "Finds the passages of the documents that answer a question, best first, with document, page or section and bytes, and the relationships that connect them. Says first which words of the question stand in no document, and when no passage has most of them.",
	})
	add(s, tool[documentsInput]{
		name: "documents", title: "List documents", kind: reads, needs: access.GraphRead, do: t.documents,
		about: "Lists the documents that were ingested, with their sizes in chunks and concepts.",
	})
	add(s, tool[sourceInput]{
		name: "source", title: "Read a chunk", kind: reads, needs: access.SourcesRead, do: t.source,
		about: "Shows the whole text of a chunk of a document, by the source id that quotes and passages name.",
	})
}

type askInput struct {
	Question string `json:"question" jsonschema:"the question, in words"`
	Ontology string `json:"ontology,omitempty" jsonschema:"only documents of this ontology"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many passages, 1 to 20; 5 without it"`
}

func (t toolset) ask(ctx context.Context, in askInput, out *text) error {
	answer, err := t.c.Graph.Ask(ctx, questions.Question{Text: in.Question, Ontology: in.Ontology, Limit: within(in.Limit, questions.DefaultPassages, questions.MaxAskPassages), IncludeEvidence: true})
	if err != nil {
		return err
	}
	if len(answer.Absent) > 0 {
		out.line("%s", oneLine(answer.Missing()))
	}
	if len(answer.Passages) == 0 {
		if err := t.inOntology(ctx, in.Ontology, out, "The documents say nothing about that."); err != nil {
			return err
		}
	} else if !answer.Found && len(answer.Absent) == 0 {
		out.line("No passage has most of the words of the question: these may not answer it.")
	}
	for i, p := range answer.Passages {
		place := oneLine(p.Filename) + " (" + oneLine(p.Document) + ")"
		if p.Section != nil {
			place += ", " + oneLine(*p.Section)
		}
		if p.Page != nil {
			out.line("%d. %s, page %d, bytes %d-%d, source %s", i+1, place, *p.Page, p.Start, p.End, p.SourceID)
		} else {
			out.line("%d. %s, bytes %d-%d, source %s", i+1, place, p.Start, p.End, p.SourceID)
		}
		out.line("   %s", strings.Join(strings.Fields(p.Text), " "))
	}
	for _, r := range answer.Relationships {
		out.line("%s [%s] -%s-> %s [%s]", oneLine(r.FromLabel), r.FromID, r.Type, oneLine(r.ToLabel), r.ToID)
		out.stated(r.Evidence)
	}
	return nil
}

type documentsInput struct {
	Ontology string `json:"ontology,omitempty" jsonschema:"only of this ontology"`
	Limit    int    `json:"limit,omitempty" jsonschema:"how many, 1 to 100; 30 without it"`
	Offset   int    `json:"offset,omitempty" jsonschema:"how many to leave out, for the next page"`
}

func (t toolset) documents(ctx context.Context, in documentsInput, out *text) error {
	list, err := t.c.Documents.List(ctx, corpus.PageQuery{Ontology: in.Ontology, Limit: within(in.Limit, defaultDocuments, maxDocuments), Offset: in.Offset})
	if err != nil {
		return err
	}
	for _, d := range list.Documents {
		out.line("%s (%s): %d chunks, %d concepts, id %s", oneLine(d.Filename), oneLine(d.Ontology), d.SourceCount, d.ConceptCount, d.DocumentID)
	}
	if shown := in.Offset + len(list.Documents); shown < list.Total {
		out.line("%d of %d are shown; the next ones: offset %d.", len(list.Documents), list.Total, shown)
	} else if list.Total == 0 {
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
	out.line("%s (%s), chunk %d, bytes %d-%d of document %s", oneLine(s.Filename), oneLine(s.Document), s.Paragraph, s.Start, s.End, s.DocumentID)
	for line := range strings.Lines(s.FullText[:min(len(s.FullText), maxSourceBytes)]) {
		out.line("%s", strings.ToValidUTF8(strings.TrimSuffix(line, "\n"), ""))
	}
	if len(s.FullText) > maxSourceBytes {
		out.line("(the rest of the chunk, %d bytes, is not shown)", len(s.FullText)-maxSourceBytes)
	}
	return nil
}
