package library

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/internal/retrieval/words"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	askCandidates = 50  // passages that are ranked; for later pages more
	answering     = 0.5 // how likely the first passage answers, from which on the documents are said to
)

// passages finds the passages that may answer.
type passages interface {
	// Latest returns the index as it is, whose Mark says when that was; ok is false when it is
	// likely that something has changed since.
	Latest() (s retrieval.Snapshot, ok bool)
	// Fresh returns the index with all that was committed before.
	Fresh(ctx context.Context) (retrieval.Snapshot, error)
}

// tables have what an answer shows.
type tables interface {
	ReadAnswer(ctx context.Context, r questions.AskReading) (questions.AskRead, error)
	AskDocuments(ctx context.Context, q questions.AskDocuments) ([]int32, error)
	// PassagesAround returns the passages that may be of the same list or table as one.
	PassagesAround(ctx context.Context, passage int32) ([]int32, error)
	ReadPassages(ctx context.Context, ids []int32) ([]corpus.ShownPassage, error)
}

// evidence finds the surest sentences that state each of some relationships, and the paths
// between two concepts: those of an ontology, or of all when it is "".
type evidence interface {
	Connect(ctx context.Context, q questions.ConnectQuery) (questions.ConnectResult, error)
	Evidence(ctx context.Context, edges []knowledge.Edge, ontology string) ([][]knowledge.EdgeEvidence, error)
}

// Asker finds the passages that answer a question. It is safe for concurrent use.
type Asker struct {
	passages passages
	tables   tables
	graph    evidence
	model    *ranking.Model
	meaning  meaning // nil: none
	reranker Reranker
	past     past          // nil: none
	places   chan struct{} // of questions that are answered at once
	texts    texts
}

// NewAsker returns an Asker that finds passages by p, and reads t; g has the sentences that
// state relationships.
func NewAsker(p passages, t tables, g evidence) *Asker {
	return &Asker{passages: p, tables: t, graph: g, model: ranking.Learned(), places: make(chan struct{}, placesOf*runtime.GOMAXPROCS(0))}
}

// asked is a question that is being answered.
type asked struct {
	questions.Question
	snapshot retrieval.Snapshot
	since    *knowledge.PassagesMark // of the snapshot, where it is not known to be fresh
	filter   filter
	form     form
	special  special
	similar  questions.SimilarPassages
	ranking  ranking.Question
	content  []words.Word // its words that name something, each once
	asking   map[string]bool
	ranked   []ranking.Ranked
	verbatim []int32 // passages that repeat the question
	texts    *texts
	placed   bool              // it holds a place
	then     bool              // it is about what stood at a moment
	reading  *answers.Question // as passages that are shown are compared with it
	read     questions.AskRead
	first    *corpus.ShownPassage // of the answer
	answer   questions.AskAnswer
}

// Ask returns what the documents say to a question, with everything that was committed before:
// 50 passages are found by their words and put in order by a learned ranking, which says as well
// how likely each answers; near duplicates are folded; and what is shown is read from the tables.
// Nothing of what the question's filter leaves out is in any part of the answer. It returns a
// CodeInvalid Error for a question that breaks a rule.
func (a *Asker) Ask(ctx context.Context, q questions.Question) (questions.AskAnswer, error) {
	if err := q.Validate(); err != nil {
		return questions.AskAnswer{}, err
	}
	if q.AsOf != "" {
		return a.askPast(ctx, q)
	}
	if latest, ok := a.passages.Latest(); ok && !a.asksModels(&q) {
		x := &asked{Question: q, texts: &a.texts, snapshot: latest, since: &latest.Mark}
		if err := a.answer(ctx, x); err != nil || !x.read.Changed {
			return x.answer, err
		}
	}
	fresh, err := a.passages.Fresh(ctx)
	if err != nil {
		return questions.AskAnswer{}, err
	}
	x := &asked{Question: q, texts: &a.texts, snapshot: fresh}
	err = a.answer(ctx, x)
	return x.answer, err
}

// answer answers a question from the passages of a snapshot, as soon as there is a place. With
// an error there is no answer.
func (a *Asker) answer(ctx context.Context, x *asked) error {
	if err := a.take(ctx, x); err != nil {
		return err
	}
	defer a.leave(x)
	steps := []func(context.Context, *asked) error{a.begin, a.rank, a.readShown, a.connect, a.relate, a.wholeList}
	if x.then {
		steps = []func(context.Context, *asked) error{a.begin, a.rank, a.readShown, a.wholeList}
	}
	for _, step := range steps {
		if err := step(ctx, x); err != nil || x.read.Changed {
			x.answer = questions.AskAnswer{}
			return err
		}
	}
	x.judge()
	return nil
}

// begin says what of the index may be shown.
func (a *Asker) begin(ctx context.Context, x *asked) (err error) {
	asked, subjects := answers.Follow(x.Thread, x.Text)
	x.form = formOf(asked)
	x.answer = questions.AskAnswer{
		Question: x.Text, Asked: asked, Form: x.form.name, Epoch: x.snapshot.Epoch, Index: x.snapshot.State,
		Absent: []string{}, MissingWords: []string{}, Mended: []questions.AskMended{}, Subjects: append([]string{}, subjects...), Passages: []questions.AskPassage{},
		Concepts: []questions.AskConcept{}, Relationships: []questions.AskRelationship{}, Contradictions: []questions.AskContradiction{}, Paths: []questions.Path{},
	}
	x.filter, err = newFilter(ctx, a.tables, x.snapshot, x.AskFilter, x.then)
	if x.filter.restricted() && x.answer.Index.Ready {
		x.answer.Index.Passages, x.answer.Index.Of = 0, 0 // how many there are of others is theirs
	}
	return err
}

// rank finds passages, and puts them in order.
func (a *Asker) rank(ctx context.Context, x *asked) error {
	view := x.snapshot.View
	x.mend()
	x.content = x.tellingContent(contentOf(x.answer.Asked))
	x.ranking = ranking.Ask(x.answer.Asked, corpus.EnglishQuestion(x.answer.Asked), x.statistics())
	most := askCandidates
	if shown := 2 * (x.Offset + x.Limit); shown > most {
		most = shown
	}
	found, err := view.Candidates(ctx, index.Query{Terms: x.ranking.Terms(), Allow: x.filter.allow(), Limit: most})
	if err != nil {
		return err
	}
	if found, x.special, err = x.specials(ctx, found); err != nil {
		return err
	}
	if found, err = a.findSimilar(ctx, x, found); err != nil {
		return err
	}
	x.ranked = a.model.Rank(&x.ranking, view, found)
	if x.similar.Compared() {
		a.model.Fuse(x.ranked, x.similar.Of)
	}
	if err := a.rerank(ctx, x); err != nil {
		return err
	}
	x.special.order(x.ranked)
	x.findVerbatim()
	return nil
}

// readShown folds duplicates, and reads what is shown, with the concepts and relationships
// around it.
func (a *Asker) readShown(ctx context.Context, x *asked) (err error) {
	kept := fold(x.snapshot.View, x.ranked, x.Offset+max(x.Limit, x.compared())+1)
	x.answer.More = len(kept) > x.Offset+x.Limit
	kept = kept[min(x.Offset, len(kept)):min(x.Offset+max(x.Limit, x.compared()), len(kept))]
	reading := questions.AskReading{Phrases: phrasesOf(x.answer.Asked, x.content), Restricted: x.filter.restricted(), Ontologies: x.filter.ontologies, Since: x.since, OneOntology: x.snapshot.Ontologies() < 2}
	for _, k := range kept {
		reading.Passages = append(reading.Passages, k.ID)
	}
	for _, k := range kept {
		reading.Passages = append(reading.Passages, k.twins...)
	}
	if x.read, err = a.tables.ReadAnswer(ctx, reading); err != nil || x.read.Changed {
		return err
	}
	if x.since != nil {
		x.answer.Epoch = x.read.Epoch
	}
	byID := map[int32]*corpus.ShownPassage{}
	for i := range x.read.Passages {
		// Its document may have been moved since the index was read.
		if p := &x.read.Passages[i]; x.filter.allowsOntology(p.Ontology) {
			byID[p.ID] = p
		}
	}
	x.special.proseFirst(kept, byID, x.form.term)
	if x.form.name == questions.FormList {
		listsFirst(kept, byID)
	}
	x.codeBehind(kept, byID)
	kept = kept[:min(x.Limit, len(kept))]
	x.reading = answers.NewQuestion(x.answer.Asked, x.weight)
	names := shortNames(x.read.Passages)
	for i := range kept {
		if p := byID[kept[i].ID]; p != nil {
			x.first = cmp.Or(x.first, p)
			x.answer.Passages = append(x.answer.Passages, x.passage(&kept[i], p, byID, names, a.model))
		}
	}
	x.contradictions(byID, kept)
	return nil
}

// connect adds the concepts that the question means, and what the passages state of them.
func (a *Asker) connect(ctx context.Context, x *asked) error {
	x.answer.Concepts = x.concepts()
	x.answer.Relationships = x.relationships()
	if !x.IncludeEvidence || len(x.answer.Relationships) == 0 {
		return nil
	}
	edges := make([]knowledge.Edge, len(x.read.Edges))
	for i, e := range x.read.Edges {
		edges[i] = e.Edge()
	}
	for _, ontology := range x.filter.names {
		sentences, err := a.graph.Evidence(ctx, edges, ontology)
		if err != nil && kappa.ErrorCode(err) != kappa.CodeNotFound {
			return err
		}
		for i := range sentences {
			r := &x.answer.Relationships[i]
			r.Evidence = append(r.Evidence, sentences[i]...)
			r.Evidence = r.Evidence[:min(len(r.Evidence), knowledge.SampleEdgeEvidence)]
		}
	}
	return nil
}

// judge says whether the documents answer, and which words nothing has.
func (x *asked) judge() {
	if len(x.answer.Passages) > 0 {
		x.answer.Answers = x.answer.Passages[0].Answers
		if x.answer.Reranking != nil && x.answer.Reranking.Reranked { // whose order says nothing of how likely they answer
			for _, p := range x.answer.Passages {
				x.answer.Answers = max(x.answer.Answers, p.Answers)
			}
		}
	}
	x.answer.Found = x.answer.Answers >= answering
	x.answer.Nearest = !x.answer.Found && len(x.answer.Passages) > 0
	x.answer.MissingWords = x.missing()
	x.answer.Absent = x.absent(x.answer.MissingWords)
	for i := range x.answer.Passages {
		x.answer.Passages[i].Nearest = x.answer.Passages[i].Answers < answering
	}
}

// contentOf returns the words of a question that name something, each once; all of them
// when none does. A word that is joined of parts is one.
func contentOf(question string) []words.Word {
	cut := words.Cut(question, true).Words
	var content, all []words.Word
	end := 0
	for _, w := range cut {
		if w.Start < end {
			continue
		}
		end = w.End
		if slices.ContainsFunc(all, func(k words.Word) bool { return k.Stem == w.Stem }) {
			continue
		}
		all = append(all, w)
		if !words.Function(w.Text) && !questions.FillerWord(w.Text) {
			content = append(content, w)
		}
	}
	if len(content) == 0 {
		return all
	}
	return content
}
