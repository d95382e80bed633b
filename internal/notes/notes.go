package notes

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/naming"
)

// store keeps notes; see its methods for the errors.
type store interface {
	WriteNote(ctx context.Context, n knowledge.NoteGraph, m knowledge.Matcher, check func() error) (knowledge.WrittenNote, error)
	WrittenConcept(ctx context.Context, id string) (knowledge.WrittenConcept, error)
	EditConcept(ctx context.Context, id string, was, is knowledge.ExtractedConcept, model string, e models.Embedding) (knowledge.WrittenConcept, error)
	RemoveConcept(ctx context.Context, id string, dry bool) (knowledge.RemovedConcept, error)
	EditEdge(ctx context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error)
	RemoveEdge(ctx context.Context, e knowledge.WrittenEdge, dry bool) (knowledge.RemovedEdge, error)
	SplitConcept(ctx context.Context, p knowledge.NewConceptSplit, model string, embed func(ctx context.Context, text string) (models.Embedding, error)) (knowledge.ConceptSplit, error)
}

const editTries = 5 // of a change that others come before

// Config is what a Service works with.
type Config struct {
	Store    store
	Embedder models.Embedder
	Matcher  func(models.Model) knowledge.Matcher // the rules of ingestion
	// Passages cuts a text into passages; nil leaves that to the leader.
	Passages func(d corpus.DocumentText) iter.Seq[corpus.Passage]
}

// Service writes by hand. Its methods may be called from many goroutines.
type Service struct{ cfg Config }

// New returns a Service.
func New(cfg Config) *Service { return &Service{cfg: cfg} }

// Write writes a note, all of it or nothing. It returns a CodeInvalid Error that names
// what breaks a rule, a CodeNotFound Error for a concept that is not there, also one that
// was to be matched only, a CodeForbidden Error in a frozen ontology, and a
// CodeUnavailable Error when the model cannot be reached.
func (s *Service) Write(ctx context.Context, n knowledge.Note) (knowledge.WrittenNote, error) {
	if err := n.Validate(); err != nil {
		return knowledge.WrittenNote{}, err
	}
	b, embedder := newBuilder(n), models.PinnedEmbedder(s.cfg.Embedder)
	var texts []string
	for _, d := range b.graph.Graph.Drafts {
		texts = append(texts, d.EmbeddingText())
	}
	if len(texts) > 0 {
		embeddings, err := embedder.Embed(ctx, texts)
		if err != nil {
			return knowledge.WrittenNote{}, err
		}
		for i := range embeddings {
			b.graph.Graph.Drafts[i].Embedding = embeddings[i]
		}
	}
	model := embedder.Model()
	b.graph.Graph.Model = model.Name
	m := &modes{Matcher: s.cfg.Matcher(model), note: n, of: map[string]string{}}
	for i, d := range b.graph.Graph.Drafts {
		m.of[d.Key] = n.Concepts[i].MatchingMode
	}
	if s.cfg.Passages != nil {
		b.graph.Graph.Passages = slices.Collect(s.cfg.Passages(corpus.DocumentText{Text: string(b.graph.Body), Markup: corpus.ContentPlain}))
	}
	return s.cfg.Store.WriteNote(ctx, b.graph, m, m.check)
}

// Concept returns a concept. It returns a CodeNotFound Error for an unknown id.
func (s *Service) Concept(ctx context.Context, id string) (knowledge.WrittenConcept, error) {
	return s.cfg.Store.WrittenConcept(ctx, id)
}

// EditConcept changes a concept. It returns a CodeInvalid Error that names what breaks a
// rule, a CodeNotFound Error for an unknown id, a CodeForbidden Error in a frozen
// ontology, and a CodeConflict Error when others keep changing it.
func (s *Service) EditConcept(ctx context.Context, id string, e knowledge.ConceptEdit) (knowledge.WrittenConcept, error) {
	if err := e.Validate(); err != nil {
		return knowledge.WrittenConcept{}, err
	}
	var done knowledge.WrittenConcept
	var err error
	for range editTries {
		if done, err = s.edit(ctx, id, e); kappa.ErrorCode(err) != kappa.CodeConflict {
			break
		}
	}
	return done, err
}

// edit changes a concept, unless somebody else changes it meanwhile.
func (s *Service) edit(ctx context.Context, id string, e knowledge.ConceptEdit) (knowledge.WrittenConcept, error) {
	written, err := s.cfg.Store.WrittenConcept(ctx, id)
	if err != nil {
		return knowledge.WrittenConcept{}, err
	}
	was := written.Content()
	is := was
	if e.Label != nil {
		is.Label = *e.Label
	}
	if e.Description != nil {
		is.Description = *e.Description
	}
	if e.SearchTerms != nil {
		is.SearchTerms = *e.SearchTerms
	}
	embedder := models.PinnedEmbedder(s.cfg.Embedder)
	embeddings, err := embedder.Embed(ctx, []string{is.EmbeddingText()})
	if err != nil {
		return knowledge.WrittenConcept{}, err
	}
	return s.cfg.Store.EditConcept(ctx, id, was, is, embedder.Model().Name, embeddings[0])
}

// RemoveConcept deletes a concept with its quotes and relationships; a dry run changes
// nothing. It returns a CodeNotFound Error for an unknown id, and a CodeForbidden Error in a
// frozen ontology.
func (s *Service) RemoveConcept(ctx context.Context, id string, dry bool) (knowledge.RemovedConcept, error) {
	return s.cfg.Store.RemoveConcept(ctx, id, dry)
}

// EditEdge sets the confidence of a relationship, 0 to 1. It returns a CodeNotFound Error
// for one that is not there, and a CodeForbidden Error in a frozen ontology.
func (s *Service) EditEdge(ctx context.Context, e knowledge.WrittenEdge) (knowledge.WrittenEdge, error) {
	return s.cfg.Store.EditEdge(ctx, e)
}

// RemoveEdge deletes a relationship; a dry run changes nothing. It returns a CodeNotFound
// Error for one that is not there, and a CodeForbidden Error in a frozen ontology.
func (s *Service) RemoveEdge(ctx context.Context, e knowledge.WrittenEdge, dry bool) (knowledge.RemovedEdge, error) {
	return s.cfg.Store.RemoveEdge(ctx, e, dry)
}

// SplitConcept makes a concept of its own of what is said of one under some labels. It
// returns a CodeInvalid Error that names what breaks a rule, a CodeNotFound Error for an
// unknown id, and a CodeForbidden Error in a frozen ontology.
func (s *Service) SplitConcept(ctx context.Context, p knowledge.NewConceptSplit) (knowledge.ConceptSplit, error) {
	if err := p.Validate(); err != nil {
		return knowledge.ConceptSplit{}, err
	}
	embedder := models.PinnedEmbedder(s.cfg.Embedder)
	return s.cfg.Store.SplitConcept(ctx, p, embedder.Model().Name, func(ctx context.Context, text string) (models.Embedding, error) {
		embeddings, err := embedder.Embed(ctx, []string{text})
		if err != nil {
			return nil, err
		}
		return embeddings[0], nil
	})
}

// builder makes the document of a note, and what stands in it.
type builder struct {
	text  strings.Builder
	graph knowledge.NoteGraph
	drawn map[string]string // keys of concepts of the note, by their labels
}

func newBuilder(n knowledge.Note) *builder {
	b := &builder{graph: knowledge.NoteGraph{Note: n, Known: map[string]string{}, Named: map[string]string{}}, drawn: map[string]string{}}
	b.text.WriteString("Note (" + n.Provenance + ")\n")
	g := &b.graph.Graph
	for i, c := range n.Concepts {
		key := "new " + strconv.Itoa(i)
		g.Drafts = append(g.Drafts, knowledge.ConceptDraft{ExtractedConcept: knowledge.ExtractedConcept{
			Key: key, Label: c.Label, Description: c.Description, SearchTerms: c.SearchTerms, Weight: 1,
		}})
		b.drawn[naming.LabelKey(c.Label)] = key
		sentence := c.Label
		if c.Description != "" {
			sentence += ": " + c.Description
		}
		b.show(key, sentence)
	}
	for _, e := range n.Evidence {
		b.show(b.known(e.ConceptID), e.Text)
	}
	for _, e := range n.Edges {
		b.relate(e)
	}
	b.finish()
	return b
}

// say appends a paragraph and returns its span.
func (b *builder) say(text string) corpus.Span {
	b.text.WriteString("\n")
	start := b.text.Len()
	b.text.WriteString(text)
	span := corpus.Span{Start: start, End: b.text.Len()}
	b.text.WriteString("\n")
	return span
}

func (b *builder) show(key, text string) {
	b.graph.Graph.Instances = append(b.graph.Graph.Instances, knowledge.ExtractedInstance{Concept: key, Quote: text, Span: b.say(text)})
}

func (b *builder) relate(e knowledge.NewEdge) {
	from, fromName := b.end(e.FromID, e.FromLabel)
	to, toName := b.end(e.ToID, e.ToLabel)
	confidence := 1.0
	if e.Confidence != nil {
		confidence = *e.Confidence
	}
	quote := fromName + " " + strings.ToUpper(e.Type) + " " + toName
	marks := knowledge.Marks{
		From: knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{End: len(fromName)}},
		To:   knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{Start: len(quote) - len(toName), End: len(quote)}},
	}
	b.graph.Graph.Relationships = append(b.graph.Graph.Relationships, knowledge.ExtractedRelationship{
		From: from, To: to, Type: strings.ToUpper(e.Type), Direction: knowledge.Outward, Confidence: confidence, Quote: quote, Span: b.say(quote), Marks: marks,
	})
}

// end returns the key of an end of a relationship, and how to name it in a sentence.
func (b *builder) end(id, label string) (key, name string) {
	if id != "" {
		return b.known(id), id
	}
	if key, ok := b.drawn[naming.LabelKey(label)]; ok {
		return key, label
	}
	key = "named " + naming.LabelKey(label)
	b.graph.Named[key] = label
	return key, label
}

func (b *builder) known(id string) string {
	key := "known " + id
	b.graph.Known[key] = id
	return key
}

// finish makes the text a document with one chunk.
func (b *builder) finish() {
	text, n := b.text.String(), b.graph.Note
	id := corpus.ContentHash([]byte(text))
	all := corpus.Span{Start: 0, End: len(text)}
	b.graph.Body = []byte(text)
	g := &b.graph.Graph
	g.Document = corpus.Document{ID: id, Ontology: n.Ontology, Filename: knowledge.NoteFilename + n.Username, ContentType: corpus.ContentPlain, Origin: corpus.Origin{SourceType: &n.Provenance}}
	g.Chunk = corpus.Chunk{
		Number: 1, Text: text, Bytes: all, EndChar: utf8.RuneCountInString(text), Words: len(strings.Fields(text)), Boundary: corpus.BoundaryEnd,
	}
}

// modes matches each concept as it was asked for.
type modes struct {
	knowledge.Matcher
	note      knowledge.Note
	of        map[string]string // mode by the key of the draft
	unmatched []string
}

// elsewhere lets a concept that is to be matched only be one of another ontology: who asks
// for that knows that there is one.
func (m *modes) elsewhere(d knowledge.ConceptDraft, candidates []knowledge.Candidate) []knowledge.Candidate {
	if m.of[d.Key] != knowledge.MatchOnly || slices.ContainsFunc(candidates, func(c knowledge.Candidate) bool { return !c.Elsewhere }) {
		return candidates
	}
	candidates = slices.Clone(candidates)
	for i := range candidates {
		candidates[i].Elsewhere = false
	}
	return candidates
}

// Certain is that of the rules, but nothing else is searched for a concept that is to be
// made in any case.
func (m *modes) Certain(d knowledge.ConceptDraft, namesakes []knowledge.Candidate) bool {
	return m.of[d.Key] == knowledge.MatchForce || m.Matcher.Certain(d, m.elsewhere(d, namesakes))
}

// Match is that of the rules, but for concepts that are to be made in any case.
func (m *modes) Match(drafts []knowledge.ConceptDraft, candidates [][]knowledge.Candidate) []knowledge.ConceptMatch {
	meant := make([][]knowledge.Candidate, len(candidates))
	for i, d := range drafts {
		meant[i] = m.elsewhere(d, candidates[i])
	}
	matches := m.Matcher.Match(drafts, meant)
	m.unmatched = nil
	for i, d := range drafts {
		switch mode := m.of[d.Key]; {
		case mode == knowledge.MatchForce:
			matches[i] = knowledge.ConceptMatch{Draft: i}
		case mode == knowledge.MatchOnly && matches[i].Known == 0:
			m.unmatched = append(m.unmatched, d.Label)
		case matches[i].Known == 0 && matches[matches[i].Draft].Known != 0:
			matches[i].Known = matches[matches[i].Draft].Known
		}
	}
	return matches
}

// check refuses the note when something was to be matched only and was not there.
func (m *modes) check() error {
	if len(m.unmatched) == 0 {
		return nil
	}
	return kappa.NewError(kappa.CodeNotFound, "No concept matches '"+strings.Join(m.unmatched, "', '")+"', and matching_mode is match_only")
}
