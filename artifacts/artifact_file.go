package artifacts

import "github.com/kappagraph/kappa"

// Piece is how many bytes of a file are written and read at once.
const Piece = 1 << 20

// QueryResult is the type of what a dataset job keeps.
const QueryResult = "query_result"

// File is what an artifact holds as a file.
type File struct {
	ID          int64
	ContentType string
	Bytes       int64
}

// WaitingFile is a file that was uploaded for a job.
type WaitingFile struct {
	ID        int64      `json:"file"`
	Bytes     int64      `json:"bytes"`
	CreatedAt kappa.Time `json:"created_at"`
}
