package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// RemoveDocument takes a document out of the graph, in one transaction: its earlier versions, unless
// it is the undo of a job, its chunks, its quotes, the evidence of its relationships, and every concept, relationship and
// relationship type that nothing else shows. What other documents show stays as if they
// alone had been ingested: a concept that they show too is called what they call it.
//
// Where that needs the embedding of a text that new has not, RemoveDocument changes
// nothing and returns the missing texts. It returns CodeNotFound for an unknown document,
// CodeConflict while a job reads it or when another job than r.By wrote it last, and
// CodeForbidden in a frozen ontology.
func (s DocumentStore) RemoveDocument(ctx context.Context, r corpus.Removal, embedded knowledge.NewEmbeddings) (corpus.Removed, []string, error) {
	var out corpus.Removed
	var missing []string
	err := inTx(ctx, s.graph, func(q *db.Queries) error {
		if err := beginSubmission(ctx, q); err != nil {
			return err
		}
		if err := q.GraphLock(ctx); err != nil {
			return err
		}
		found, err := findRemoval(ctx, q, r)
		if kappa.ErrorCode(err) == kappa.CodeNotFound && r.By == "" {
			out, err = forgetVersions(ctx, q, r)
			return err
		}
		if err != nil {
			return err
		}
		d := found[0]
		out = corpus.Removed{DocumentID: d.DocumentID, Ontology: d.Ontology, Filename: d.Filename, Deleted: true}
		w := remover{q: q, embedded: embedded}
		if r.By == "" { // the undo of a job leaves what other ones have brought
			n, err := q.VersionsForget(ctx, []int32{d.ID})
			if err != nil {
				return err
			}
			out.VersionsDeleted = int(n)
		}
		if err := w.found(ctx, found); err != nil {
			return err
		}
		w.report(&out)
		for _, f := range found {
			n, err := q.OntologyPrune(ctx, f.OntologyID)
			if err != nil {
				return err
			}
			out.OntologyDeleted = out.OntologyDeleted || n > 0
		}
		if r.DryRun {
			out.Deleted = false
			return errDryRun
		}
		if missing = w.missing; len(missing) > 0 {
			return errMissingEmbeddings
		}
		if err := raiseEpoch(ctx, q, change{kind: knowledge.EpochEdit, act: "document.delete", object: d.DocumentID}); err != nil {
			return err
		}
		return record(ctx, q, act{action: "document.delete", object: "document", id: d.DocumentID, before: out})
	})
	switch {
	case len(missing) > 0:
		return corpus.Removed{}, missing, nil
	case errors.Is(err, errDryRun):
		return out, nil, nil
	}
	return out, nil, translate(err, "delete the document "+r.DocumentID)
}

// errMissingEmbeddings rolls a removal back that needs more embeddings.
var errMissingEmbeddings = kappa.NewError(kappa.CodeInternal, "embeddings are missing")

// findRemoval holds what a removal takes, when it may be removed: a document, or what a job
// has written.
func findRemoval(ctx context.Context, q *db.Queries, r corpus.Removal) ([]db.DocumentsOfJobRow, error) {
	if inNoRow(r.DocumentID, r.Ontology) {
		return nil, documentNotFound(r.DocumentID)
	}
	if r.By != "" {
		found, err := q.DocumentsOfJob(ctx, r.By, r.Ontology, r.DocumentID)
		if err != nil || len(found) > 0 {
			return found, errors.Join(err, removable(ctx, q, found))
		}
	}
	d, err := q.DocumentForRemoval(ctx, r.DocumentID, r.Ontology)
	switch {
	case isNoRows(err) && r.By != "":
		return nil, conflict("Nothing that job %s stored is in the graph", r.By)
	case isNoRows(err):
		return nil, documentNotFound(r.DocumentID)
	case err != nil:
		return nil, err
	case r.By != "":
		return nil, conflict("Job %s has ingested the same document again since; undo that one", d.JobID)
	}
	found := []db.DocumentsOfJobRow{{
		ID: d.ID, DocumentID: d.DocumentID, Filename: d.Filename, JobID: d.JobID, OntologyID: d.OntologyID, Ontology: d.Ontology,
		LifecycleState: d.LifecycleState, Whole: true,
	}}
	return found, removable(ctx, q, found)
}

// removable returns an error when one of the documents may not be changed now.
func removable(ctx context.Context, q *db.Queries, found []db.DocumentsOfJobRow) error {
	for _, d := range found {
		if err := changeable(d.Ontology, d.LifecycleState); err != nil {
			return err
		}
		reader, err := q.DocumentReader(ctx, &d.DocumentID, d.Ontology)
		if err == nil {
			return conflict("Job %s is reading the document; cancel it first", reader)
		}
		if !isNoRows(err) {
			return err
		}
	}
	return nil
}

// changeable returns an error for a frozen ontology, of which nothing is deleted.
func changeable(ontology, state string) error {
	if state == ontologies.LifecycleFrozen {
		return frozen(ontology, "deleting")
	}
	return nil
}

// frozen is the refusal to change a frozen ontology.
func frozen(name, before string) error {
	return kappa.NewError(kappa.CodeForbidden,
		"Ontology '"+name+"' is frozen (read-only). Set lifecycle state to 'active' before "+before+".")
}

// remover removes documents and chunks within a transaction that holds the graph lock.
type remover struct {
	q        *db.Queries
	embedded knowledge.NewEmbeddings
	lenient  bool // a concept keeps its embedding when the new one is missing

	missing                             []string       // texts whose embeddings it needs
	sources, instances, edges, concepts int            // what went
	shown                               map[int32]bool // concepts that stay
}

func (w *remover) report(out *corpus.Removed) {
	out.SourcesDeleted, out.InstancesDeleted, out.RelationshipsDeleted = w.sources, w.instances, w.edges
	out.ConceptsDeleted, out.ConceptsKept = w.concepts, len(w.shown)
}

// found removes what findRemoval has found.
func (w *remover) found(ctx context.Context, found []db.DocumentsOfJobRow) error {
	var documents, sources []int32
	for _, f := range found {
		if f.Whole {
			documents = append(documents, f.ID)
		} else {
			sources = append(sources, f.Sources...)
		}
	}
	theirs, err := w.q.DocumentSources(ctx, documents)
	if err != nil {
		return err
	}
	if err := w.chunks(ctx, append(sources, theirs...)); err != nil {
		return err
	}
	return w.q.DocumentsDelete(ctx, documents)
}

// documents removes documents with their chunks.
func (w *remover) documents(ctx context.Context, ids []int32) error {
	sources, err := w.q.DocumentSources(ctx, ids)
	if err != nil {
		return err
	}
	if err := w.chunks(ctx, sources); err != nil {
		return err
	}
	return w.q.DocumentsDelete(ctx, ids)
}

// chunks removes chunks, and makes anew what they had a part in: no statement is about more
// than RemovedAtOnce of them, since each may take only so long. Those that were added last
// go first; see OntologyLastSources.
func (w *remover) chunks(ctx context.Context, sources []int32) error {
	sources = slices.Clone(sources)
	slices.SortFunc(sources, func(a, b int32) int { return cmp.Compare(b, a) })
	for some := range slices.Chunk(sources, ontologies.RemovedAtOnce) {
		if err := w.someChunks(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (w *remover) someChunks(ctx context.Context, sources []int32) error {
	extent, err := w.q.RemovalExtent(ctx, sources)
	if err != nil {
		return err
	}
	concepts, err := w.q.SourcesConcepts(ctx, sources)
	if err != nil {
		return err
	}
	first, err := w.q.MentionsFirst(ctx, concepts)
	if err != nil {
		return err
	}
	if err := takeEvidence(ctx, w.q, sources); err != nil {
		return err
	}
	if _, err := w.q.SourceClear(ctx, sources); err != nil {
		return err
	}
	if err := w.q.SourceDelete(ctx, sources); err != nil {
		return err
	}
	pruned, err := w.q.ConceptPrune(ctx, concepts)
	if err != nil {
		return err
	}
	if err := w.q.TypesPrune(ctx, extent.Types); err != nil {
		return err
	}
	w.sources, w.instances, w.edges = w.sources+len(sources), w.instances+int(extent.Instances), w.edges+int(extent.Edges)
	w.concepts += len(pruned)
	w.count(concepts, pruned)
	return w.remake(ctx, concepts, first)
}

// count keeps which concepts that lost something are there.
func (w *remover) count(concepts, pruned []int32) {
	if w.shown == nil {
		w.shown = map[int32]bool{}
	}
	for _, c := range concepts {
		w.shown[c] = true
	}
	for _, c := range pruned {
		delete(w.shown, c)
	}
}

// mention is what a chunk says of a concept.
type mention = db.MentionsOfRow

func extracted(m mention) knowledge.ExtractedConcept {
	return knowledge.ExtractedConcept{Label: m.Label, Description: m.Description, SearchTerms: m.SearchTerms}
}

// remake makes each concept of what the remaining mentions say of it; first are those
// that had made them.
func (w *remover) remake(ctx context.Context, concepts []int32, first []db.MentionsFirstRow) error {
	was := map[int32]mention{}
	for _, f := range first {
		was[f.Concept] = mention(f)
	}
	rows, err := w.q.MentionsOf(ctx, concepts)
	if err != nil {
		return err
	}
	var reset []db.ConceptResetParams
	var links []db.ConceptLinkParams
	var embeddings []db.EmbeddingReplaceParams
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Concept == rows[0].Concept {
			n++
		}
		made := rows[0]
		reset = append(reset, db.ConceptResetParams{
			ID: made.Concept, Label: made.Label, Description: made.Description, SearchTerms: orEmpty(made.SearchTerms), TermKeys: termKeys(extracted(made)),
		})
		if link, adds := addition(rows[:n]); adds {
			links = append(links, link)
		}
		if text := extracted(made).EmbeddingText(); text != extracted(was[made.Concept]).EmbeddingText() {
			if e, known := w.embedded.ByText[text]; known {
				signature := e.Signature()
				embeddings = append(embeddings, db.EmbeddingReplaceParams{
					Concept: made.Concept, Model: w.embedded.Model, Vector: e, Signature: signatureBits(signature), Bands: signature.Bands(),
				})
			} else if !slices.Contains(w.missing, text) {
				w.missing = append(w.missing, text)
			}
		}
		rows = rows[n:]
	}
	if len(w.missing) > 0 && !w.lenient {
		return nil
	}
	return w.store(ctx, reset, links, embeddings)
}

// addition returns what the mentions after the first add to a concept, as one: each that was
// stored by itself would write all names of the concept again. Like ConceptLink it adds
// nothing to a concept that has other names enough.
func addition(mentions []mention) (link db.ConceptLinkParams, adds bool) {
	link.ID, link.SearchTerms = mentions[0].Concept, []string{}
	described := mentions[0].Description != ""
	terms, keys := newNames(mentions[0].SearchTerms), newNames(termKeys(extracted(mentions[0])))
	for _, m := range mentions[1:] {
		if terms.count >= mostSearchTerms {
			break
		}
		added := keys.add(termKeys(extracted(m)))
		if len(added) == 0 && (described || m.Description == "") {
			continue
		}
		adds = true
		link.TermKeys = append(link.TermKeys, added...)
		link.SearchTerms = append(link.SearchTerms, terms.add(m.SearchTerms)...)
		if !described {
			link.Description, described = m.Description, m.Description != ""
		}
	}
	return link, adds
}

// names are names that a concept has.
type names struct {
	known map[string]bool
	count int // those that are there twice among them, until more are added
}

func newNames(list []string) names {
	n := names{known: map[string]bool{}}
	n.add(list)
	n.count = len(list)
	return n
}

// add returns those of a list that were not known before.
func (n *names) add(list []string) (added []string) {
	for _, name := range list {
		if !n.known[name] {
			n.known[name] = true
			added = append(added, name)
		}
	}
	n.count = len(n.known)
	return added
}

func (w *remover) store(ctx context.Context, reset []db.ConceptResetParams, links []db.ConceptLinkParams, embeddings []db.EmbeddingReplaceParams) error {
	var failed error
	each := func(_ int, err error) {
		if err != nil && failed == nil {
			failed = err
		}
	}
	if len(reset) > 0 {
		w.q.ConceptReset(ctx, reset).Exec(each)
	}
	if len(links) > 0 && failed == nil {
		w.q.ConceptLink(ctx, links).Exec(each)
	}
	if len(embeddings) > 0 && failed == nil {
		w.q.EmbeddingReplace(ctx, embeddings).Exec(each)
	}
	return failed
}
