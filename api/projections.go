package api

// ProjectionAlgorithms are the algorithms that a server knows.
type ProjectionAlgorithms struct {
	Available []string `json:"available"`
	Default   string   `json:"default"`
}

// RemovedProjections says what went with a projection that was deleted.
type RemovedProjections struct {
	Message string `json:"message"`
	Deleted bool   `json:"deleted" doc:"false after a dry run"`
	Count   int64  `json:"projections_deleted" doc:"Of a dry run, how many would be"`
}

// ProjectionReply is what the server says to a request to make a projection.
type ProjectionReply struct {
	Status     string  `json:"status" doc:"queued, or skipped: the one that is kept is of the same input"`
	JobID      *string `json:"job_id"`
	Message    string  `json:"message"`
	Changelist *string `json:"changelist_id" doc:"Of the input as it is now"`
	ArtifactID *int    `json:"artifact_id" doc:"null: the result of the job names it"`
}
