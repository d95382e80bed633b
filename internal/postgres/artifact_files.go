package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/work"
)

// BeginArtifactFile begins a file, whose pieces follow. One that is not finished within a
// day is deleted.
func (s ArtifactStore) BeginArtifactFile(ctx context.Context, contentType string) (file int64, err error) {
	file, err = s.q().ArtifactFileInsert(ctx, contentType)
	return file, translate(err, "begin the file of an artifact")
}

// AddArtifactPiece adds a piece of at most artifacts.Piece bytes; n counts from 0. It
// may be repeated when its answer was lost.
func (s ArtifactStore) AddArtifactPiece(ctx context.Context, file int64, n int, piece []byte) error {
	return translate(s.q().ArtifactPieceInsert(ctx, file, int32(n), piece), "write the file of an artifact")
}

// SaveArtifactFile is SaveArtifact for a result with a file, whose pieces are all there.
func (s ArtifactStore) SaveArtifactFile(ctx context.Context, c work.Claim, a artifacts.NewArtifact, file artifacts.File) (id int, err error) {
	err = inTx(ctx, s.jobs, func(q *db.Queries) error {
		kept, err := q.ArtifactSave(ctx, db.ArtifactSaveParams{
			JobID: c.JobID, ClaimToken: c.Token, Worker: c.Worker, ArtifactType: a.Type, Representation: a.Representation, Name: a.Name,
			GraphEpoch: a.GraphEpoch, Parameters: a.Parameters, Ontology: a.Ontology, ConceptIds: a.ConceptIDs, Payload: a.Payload,
		})
		if isNoRows(err) {
			return kappa.ErrStale
		}
		if err != nil {
			return err
		}
		id = int(kept)
		if err := q.ArtifactFileReplace(ctx, kept, file.ID); err != nil {
			return err
		}
		_, err = q.ArtifactFileFinish(ctx, kept, file.Bytes, file.ID)
		return err
	})
	return id, translate(err, "keep the artifact of "+c.JobID)
}

// ArtifactFile returns what an artifact holds as a file. It returns CodeNotFound when it
// holds none.
func (s ArtifactStore) ArtifactFile(ctx context.Context, id int) (artifacts.File, error) {
	row, err := s.q().ArtifactFile(ctx, int64(id))
	if isNoRows(err) {
		return artifacts.File{}, notFound("Artifact %d has no file; its payload has all of it", id)
	}
	return artifacts.File{ID: row.ID, ContentType: row.ContentType, Bytes: row.Bytes}, translate(err, "read the file of an artifact")
}

// ReadArtifactPiece returns a piece of a file. It returns CodeNotFound when the file has
// been deleted meanwhile.
func (s ArtifactStore) ReadArtifactPiece(ctx context.Context, file int64, n int) ([]byte, error) {
	piece, err := s.q().ArtifactPiece(ctx, file, int32(n))
	if isNoRows(err) {
		return nil, notFound("The file of the artifact was deleted")
	}
	return piece, translate(err, "read the file of an artifact")
}

// CloseArtifactFile says how long a file is that no artifact has. It is deleted a day after
// it was begun.
func (s ArtifactStore) CloseArtifactFile(ctx context.Context, file, bytes int64) error {
	return translate(s.q().ArtifactFileClose(ctx, bytes, file), "finish a file")
}

// OpenFile returns a file that no artifact has. It returns CodeNotFound when it is gone.
func (s ArtifactStore) OpenFile(ctx context.Context, file int64) (artifacts.File, error) {
	row, err := s.q().ArtifactFileOpen(ctx, file)
	if isNoRows(err) {
		return artifacts.File{}, notFound("The uploaded file is gone: it is kept for a day")
	}
	return artifacts.File{ID: row.ID, ContentType: row.ContentType, Bytes: row.Bytes}, translate(err, "read a file")
}

// DropFile deletes a file that no artifact has, and reports whether it was there.
func (s ArtifactStore) DropFile(ctx context.Context, file int64) (bool, error) {
	n, err := s.q().ArtifactFileDrop(ctx, file)
	return n > 0, translate(err, "delete a file")
}

// WaitingFiles returns up to 100 files of a type that no artifact has, the newest first.
func (s ArtifactStore) WaitingFiles(ctx context.Context, contentType string) ([]artifacts.WaitingFile, error) {
	rows, err := s.q().ArtifactFilesWaiting(ctx, contentType)
	files := make([]artifacts.WaitingFile, 0, len(rows))
	for _, row := range rows {
		files = append(files, artifacts.WaitingFile{ID: row.ID, Bytes: row.Bytes, CreatedAt: kappa.At(row.CreatedAt)})
	}
	return files, translate(err, "list files")
}
