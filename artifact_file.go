package kappa

// ArtifactPiece is how many bytes of a file are written and read at once.
const ArtifactPiece = 1 << 20

// ArtifactQueryResult is the type of what a dataset job keeps.
const ArtifactQueryResult = "query_result"

// ArtifactFile is what an artifact holds as a file.
type ArtifactFile struct {
	ID          int64
	ContentType string
	Bytes       int64
}

// WaitingFile is a file that was uploaded for a job.
type WaitingFile struct {
	ID        int64 `json:"file"`
	Bytes     int64 `json:"bytes"`
	CreatedAt Time  `json:"created_at"`
}
