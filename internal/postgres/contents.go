package postgres

import (
	"context"
	"runtime/debug"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/postgres/db"
)

// pieceBytes is how much of a document is sent and read at once: each message is held
// several times while it is on its way.
const pieceBytes = 1 << 20

// giveBackBytes is after how much of a document the memory of its pieces is given back: beside
// a large one there would be as much garbage.
const giveBackBytes = 16 << 20

// storeContent stores a document, or locks and renews the one that is there, so that it is
// not cleaned up before its job refers to it.
func storeContent(ctx context.Context, q *db.Queries, hash string, body []byte) error {
	if len(body) <= pieceBytes {
		return q.ContentInsert(ctx, hash, body)
	}
	known, err := q.ContentKnown(ctx, hash)
	if err != nil || known > 0 {
		return err
	}
	place := int32(0)
	for piece := range slices.Chunk(body, pieceBytes) {
		if err := q.ContentPieceInsert(ctx, hash, place, piece); err != nil {
			return err
		}
		place++
	}
	if err := q.ContentFromPieces(ctx, hash); err != nil {
		return err
	}
	return q.ContentPiecesDelete(ctx, hash)
}

// Content returns the bytes of a stored document.
func (s IngestionStore) Content(ctx context.Context, hash string) ([]byte, error) {
	body, err := readContent(ctx, s.q(), hash)
	if isNoRows(err) {
		return nil, notFound("Document content not found: %s", hash)
	}
	return body, translate(err, "read the document")
}

// readContent reads a document. It may be cleaned up meanwhile, as one that is not there.
func readContent(ctx context.Context, q *db.Queries, hash string) ([]byte, error) {
	begin, err := q.ContentBegin(ctx, pieceBytes, hash)
	if err != nil {
		return nil, err
	}
	size, body := int(begin.Bytes), begin.Body
	if len(body) < size {
		body = append(make([]byte, 0, size), body...)
	}
	for len(body) < size {
		piece, err := q.ContentPiece(ctx, int32(len(body)+1), pieceBytes, hash)
		if err != nil {
			return nil, err
		}
		if len(piece) == 0 {
			return nil, pgx.ErrNoRows
		}
		body = append(body, piece...)
		if len(body)%giveBackBytes == 0 {
			debug.FreeOSMemory()
		}
	}
	return body, nil
}
