package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/storage"
)

// IntegrityStore reads all of what is stored, and says what is not as it must be.
type IntegrityStore struct{ *base }

// Integrity returns the store that checks what is stored.
func (d *DB) Integrity() IntegrityStore { return IntegrityStore{&d.base} }

// How many rows a step of a check reads.
const (
	documentsAtOnce = 8
	chunksAtOnce    = 200
	quotesOfChunks  = 100 // so many chunks, with all of their quotes
	vectorsAtOnce   = 500
	filesAtOnce     = 4
)

// CheckStored does the next step of the check of a part, after a place that the step before
// returned; "" begins. It changes nothing, and holds a document at most. A row that cannot be
// read is a fault as well.
func (s IntegrityStore) CheckStored(ctx context.Context, part, after string) (storage.Step, error) {
	q := db.New(s.graph)
	var step storage.Step
	var err error
	switch part {
	case storage.StoredDocuments:
		step, err = checkRows(ctx, part, textKeys(q.ContentKeys), checkDocuments(q), after, documentsAtOnce)
	case storage.StoredChunks:
		step, err = checkChunks(ctx, q, after)
	case storage.StoredPassages:
		step, err = checkRows(ctx, part, numberKeys(q.SourceKeys), checkPassages(q), after, quotesOfChunks)
	case storage.StoredQuotes:
		step, err = checkRows(ctx, part, numberKeys(q.SourceKeys), checkQuotes(q), after, quotesOfChunks)
	case storage.StoredStatements:
		step, err = checkRows(ctx, part, numberKeys(q.SourceKeys), checkStatements(q), after, quotesOfChunks)
	case storage.StoredEmbeddings:
		step, err = checkEmbeddings(ctx, q, after)
	case storage.StoredArtifacts:
		step, err = checkRows(ctx, part, longKeys(q.ArtifactFileKeys), checkFiles(q), after, filesAtOnce)
	default:
		err = fmt.Errorf("there is no part %q", part)
	}
	return step, translate(err, "check the stored "+part)
}

// StoredRows returns about how many rows a check of the parts reads, by part.
func (s IntegrityStore) StoredRows(ctx context.Context) (map[string]int, error) {
	tables, err := s.q().StorageTables(ctx)
	rows := map[string]int{}
	for _, t := range tables {
		rows[t.Name] = int(t.AboutRows)
	}
	return map[string]int{
		storage.StoredDocuments: rows["contents"], storage.StoredChunks: rows["sources"], storage.StoredPassages: rows["sources"], storage.StoredQuotes: rows["sources"], storage.StoredStatements: rows["sources"],
		storage.StoredEmbeddings: rows["concepts"] + rows["sources"], storage.StoredArtifacts: rows["artifact_files"],
	}, translate(err, "count what is stored")
}

// keysAfter returns the next keys after one, and check what is wrong with the rows of some.
type (
	keysAfter[K any]      func(ctx context.Context, after string, most int) ([]K, error)
	integrityCheck[K any] func(ctx context.Context, keys []K) ([]storage.Fault, error)
)

func textKeys(read func(context.Context, string, int32) ([]string, error)) keysAfter[string] {
	return func(ctx context.Context, after string, most int) ([]string, error) {
		return read(ctx, after, int32(most))
	}
}

func numberKeys(read func(context.Context, int32, int32) ([]int32, error)) keysAfter[int32] {
	return func(ctx context.Context, after string, most int) ([]int32, error) {
		n, err := placeOf(after)
		if err != nil {
			return nil, err
		}
		return read(ctx, int32(n), int32(most))
	}
}

func longKeys(read func(context.Context, int64, int32) ([]int64, error)) keysAfter[int64] {
	return func(ctx context.Context, after string, most int) ([]int64, error) {
		n, err := placeOf(after)
		if err != nil {
			return nil, err
		}
		return read(ctx, n, int32(most))
	}
}

// placeOf reads the number after which a step begins.
func placeOf(after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(after, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the place of a check: %w", err)
	}
	return n, nil
}

// checkRows checks the next rows of a part: all at once, and one by one when one of them
// cannot be read.
func checkRows[K any](ctx context.Context, part string, keys keysAfter[K], rows integrityCheck[K], after string, most int) (storage.Step, error) {
	list, err := keys(ctx, after, most)
	if err != nil || len(list) == 0 {
		return storage.Step{}, err
	}
	step := storage.Step{Next: fmt.Sprint(list[len(list)-1]), Checked: len(list)}
	step.Faults, err = rows(ctx, list)
	if !isDamaged(err) {
		return step, err
	}
	step.Faults = nil
	for _, key := range list {
		faults, err := rows(ctx, []K{key})
		if isDamaged(err) {
			faults, err = []storage.Fault{unreadable(part, fmt.Sprint(key), err)}, nil
		}
		if err != nil {
			return step, err
		}
		step.Faults = append(step.Faults, faults...)
	}
	return step, nil
}

// isDamaged reports whether a row cannot be read because its pages or what is stored out of
// line are damaged.
func isDamaged(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && strings.HasPrefix(pg.Code, "XX")
}

func unreadable(part, key string, err error) storage.Fault {
	var pg *pgconn.PgError
	errors.As(err, &pg)
	return storage.Fault{
		Part: part, Object: key, Problem: "PostgreSQL cannot read the row: " + pg.Message,
		Repair: "the files of the database are damaged: restore a backup, and look for the cause in the log of PostgreSQL and in the disks",
	}
}

func checkDocuments(q *db.Queries) integrityCheck[string] {
	return func(ctx context.Context, keys []string) ([]storage.Fault, error) {
		rows, err := q.CheckDocuments(ctx, keys)
		var faults []storage.Fault
		for _, r := range rows {
			faults = append(faults, storage.Fault{
				Part: storage.StoredDocuments, Object: r.ContentHash, Problem: "the bytes of the document have the hash " + r.Actual,
				Repair: "restore a backup, or delete the document and ingest the original again",
			})
		}
		return faults, err
	}
}

func checkPassages(q *db.Queries) integrityCheck[int32] {
	return func(ctx context.Context, keys []int32) ([]storage.Fault, error) {
		rows, err := q.CheckPassages(ctx, keys)
		var faults []storage.Fault
		for _, r := range rows {
			faults = append(faults, storage.Fault{
				Part: storage.StoredPassages, Object: r.SourceID, Problem: fmt.Sprintf("passage %d is not what stands at the bytes %d to %d", r.Number, r.StartByte, r.EndByte),
				Repair: "ingest the document again with force: its passages are written anew",
			})
		}
		return faults, err
	}
}

func checkQuotes(q *db.Queries) integrityCheck[int32] {
	return func(ctx context.Context, keys []int32) ([]storage.Fault, error) {
		rows, err := q.CheckQuotes(ctx, keys)
		var faults []storage.Fault
		for _, r := range rows {
			faults = append(faults, storage.Fault{
				Part: storage.StoredQuotes, Object: r.SourceID, Problem: fmt.Sprintf("a quote of the concept %s is not what stands at the bytes %d to %d", r.ConceptID, r.StartByte, r.EndByte),
				Repair: "ingest the document again with force: its quotes are written anew",
			})
		}
		return faults, err
	}
}

func checkStatements(q *db.Queries) integrityCheck[int32] {
	return func(ctx context.Context, keys []int32) ([]storage.Fault, error) {
		rows, err := q.CheckStatements(ctx, keys)
		var faults []storage.Fault
		for _, r := range rows {
			faults = append(faults, storage.Fault{
				Part: storage.StoredStatements, Object: r.SourceID,
				Problem: fmt.Sprintf("the sentence of %s %s %s is not what stands at the bytes %d to %d", r.FromID, r.Type, r.ToID, r.StartByte, r.EndByte),
				Repair:  "ingest the document again with force: its relationships are written anew",
			})
		}
		return faults, err
	}
}

func checkFiles(q *db.Queries) integrityCheck[int64] {
	return func(ctx context.Context, keys []int64) ([]storage.Fault, error) {
		rows, err := q.CheckArtifactFiles(ctx, keys)
		var faults []storage.Fault
		for _, r := range rows {
			faults = append(faults, storage.Fault{
				Part: storage.StoredArtifacts, Object: strconv.FormatInt(r.ArtifactID, 10),
				Problem: fmt.Sprintf("its file has %d bytes in %d pieces, and should have %d bytes", r.Stored, r.Pieces, r.Bytes),
				Repair:  "delete the artifact and make it again",
			})
		}
		return faults, err
	}
}

// The two halves of the embeddings: those of concepts, and then those of chunks.
const ofChunks = "chunk "

func checkEmbeddings(ctx context.Context, q *db.Queries, after string) (storage.Step, error) {
	if after, chunks := strings.CutPrefix(after, ofChunks); chunks {
		step, err := checkRows(ctx, storage.StoredEmbeddings, numberKeys(q.SourceKeys), checkSourceEmbeddings(q), after, chunksAtOnce)
		if step.Next != "" {
			step.Next = ofChunks + step.Next
		}
		return step, err
	}
	step, err := checkRows(ctx, storage.StoredEmbeddings, numberKeys(q.ConceptKeys), checkConceptEmbeddings(q), after, vectorsAtOnce)
	if err == nil && step.Next == "" {
		step.Next = ofChunks
	}
	return step, err
}

func checkConceptEmbeddings(q *db.Queries) integrityCheck[int32] {
	return func(ctx context.Context, keys []int32) ([]storage.Fault, error) {
		rows, err := q.CheckConceptEmbeddings(ctx, keys)
		var faults []storage.Fault
		for _, r := range rows {
			problem := "the concept has no embedding"
			if r.Model != "" {
				problem = fmt.Sprintf("its embedding is of the model %s with %d dimensions, and those of the graph are not", r.Model, r.Dimensions)
			}
			faults = append(faults, storage.Fault{Part: storage.StoredEmbeddings, Object: r.ConceptID, Problem: problem, Repair: "kg admin embeddings reembed"})
		}
		return faults, err
	}
}

func checkSourceEmbeddings(q *db.Queries) integrityCheck[int32] {
	return func(ctx context.Context, keys []int32) ([]storage.Fault, error) {
		rows, err := q.CheckSourceEmbeddings(ctx, keys)
		var faults []storage.Fault
		for _, r := range rows {
			faults = append(faults, storage.Fault{
				Part: storage.StoredEmbeddings, Object: r.SourceID, Problem: "the embedding of the chunk by " + r.Model + " was made of another text",
				Repair: "kg jobs submit --type source_embedding: it embeds what is stale",
			})
		}
		return faults, err
	}
}

// checkChunks checks the chunks of the next document.
func checkChunks(ctx context.Context, q *db.Queries, after string) (storage.Step, error) {
	n, err := placeOf(after)
	if err != nil {
		return storage.Step{}, err
	}
	documents, err := q.DocumentKeys(ctx, int32(n), 1)
	if err != nil || len(documents) == 0 {
		return storage.Step{}, err
	}
	d := documents[0]
	step := storage.Step{Next: strconv.Itoa(int(d.ID))}
	c := storage.ChunkCheck{Document: d.DocumentID, Filename: d.Filename}
	if c.Body, err = ownText(ctx, q, d); err != nil {
		return step, err
	}
	for next := (db.ChunksToCheckParams{Document: d.ID, Most: chunksAtOnce}); ; {
		rows, err := q.ChunksToCheck(ctx, next)
		if isDamaged(err) {
			step.Faults = append(c.Faults(), unreadable(storage.StoredChunks, d.DocumentID, err))
			return step, nil
		}
		if err != nil {
			return step, err
		}
		for _, r := range rows {
			c.Add(storage.StoredChunk{
				Number: int(r.ChunkNumber), SourceID: r.SourceID, Text: r.FullText, HashIsRight: r.HashIsRight,
				Bytes: corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)}, Chars: corpus.Span{Start: int(r.StartChar), End: int(r.EndChar)},
			})
			next.AfterChunk, next.AfterID = r.ChunkNumber, r.ID
		}
		step.Checked += len(rows)
		if len(rows) < chunksAtOnce {
			step.Faults = c.Faults()
			return step, nil
		}
	}
}

// ownText returns a document whose text is its bytes, and nil for another one, and for one
// that is damaged itself.
func ownText(ctx context.Context, q *db.Queries, d db.DocumentKeysRow) ([]byte, error) {
	kind := corpus.ContentType(d.ContentType)
	if !storage.IsItsOwnText(kind, nil) {
		return nil, nil
	}
	body, err := readContent(ctx, q, d.DocumentID)
	switch {
	case isDamaged(err), isNoRows(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !storage.IsItsOwnText(kind, body), corpus.ContentHash(body) != d.DocumentID:
		return nil, nil
	}
	return body, nil
}
