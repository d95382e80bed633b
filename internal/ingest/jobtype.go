package ingest

import "github.com/kappagraph/kappa"

// JobType returns the job type ingestion, which h works on.
func (h *Handler) JobType() kappa.JobType {
	return kappa.JobType{
		Name: kappa.TypeIngestion, Summary: "Reads a document into the graph.", Lane: "interactive", Priority: kappa.PriorityUser,
		NeedsDocument: true, Retryable: true, Handler: h.Work,
	}
}
