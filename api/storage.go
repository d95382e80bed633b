package api

import (
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// Restored is the server's answer to an archive that it is to restore.
type Restored struct {
	JobID    string                `json:"job_id"`
	Status   work.Status           `json:"status"`
	Message  string                `json:"message"`
	Stats    storage.BackupSummary `json:"backup_stats"`
	Warnings []string              `json:"integrity_warnings"` // always empty: an archive with a fault is refused
}

// ObjectList is a page of what the database keeps.
type ObjectList struct {
	Objects []storage.StoredObject `json:"objects"`
	Total   int                    `json:"total" doc:"About how many there are in all"`
	Prefix  string                 `json:"prefix"`
	Limit   int                    `json:"limit"`
	Offset  int                    `json:"offset"`
}
