package storage

import (
	"encoding/json"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// BackupFormat is the version of the archives that are written. Archives of a later
// one are refused. Those of format 1 have versions of the schema that were counted
// otherwise, and that every database is ahead of.
const BackupFormat = 2

// BackupType is the content type of an archive: JSON lines, compressed with zstd.
const BackupType = "application/zstd"

// TypeRestore is the job type that brings back an archive.
const TypeRestore = "restore"

// The ways to restore an archive.
const (
	RestoreMerge   = "merge"   // what is there stays, and what is missing is added
	RestoreReplace = "replace" // what is there is removed before: the whole graph, or the archive's ontology
)

// BackupHeader is the first line of an archive.
type BackupHeader struct {
	Format    int        `json:"kappa_backup"`   // see BackupFormat
	Schema    int64      `json:"schema_version"` // of the database that it was made from
	CreatedAt kappa.Time `json:"created_at"`
	Ontology  *string    `json:"ontology"` // null: all of them
	Epoch     int64      `json:"graph_epoch"`
}

// BackupSummary is what an archive holds.
type BackupSummary struct {
	BackupHeader
	Rows     map[string]int64 `json:"rows"`     // by table
	Bytes    int64            `json:"bytes"`    // of the archive
	Expanded int64            `json:"expanded"` // of its lines
}

// BackupRow is a row of a table in an archive, with natural keys in place of numbers.
type BackupRow struct {
	Table string
	Row   json.RawMessage
}

// RestoreJob is the data of a job that restores an archive.
type RestoreJob struct {
	File int64  `json:"file"` // the archive, as it was uploaded
	Mode string `json:"mode"` // RestoreMerge or RestoreReplace

	DryRun bool `json:"dry_run,omitempty"` // nothing is restored
}

// ValidateRestoreMode returns a kappa.CodeInvalid Error unless mode is known.
func ValidateRestoreMode(in, mode string) error {
	if mode == RestoreMerge || mode == RestoreReplace {
		return nil
	}
	return kappa.Invalid(kappa.FieldError{In: in, Name: "mode", Rule: "must be one of " + strings.Join([]string{RestoreMerge, RestoreReplace}, ", ") + ", got " + mode})
}

// Restoring is a restore that is carried out.
type Restoring struct {
	Header BackupHeader
	Mode   string // RestoreMerge or RestoreReplace
	DryRun bool   // all is done, and rolled back

	Next func() (BackupRow, error) // io.EOF at the end of a whole archive
	// Progress is called with the stage, how many rows are done in it, and of how many, 0 for
	// unknown; its error ends the restore.
	Progress func(stage string, done, of int64) error
	Done     func(stats RestoreStats) work.Checkpoint // is stored with what was restored, both or neither
}

// RestoreStats is what a restore has added.
type RestoreStats struct {
	Concepts      int64 `json:"concepts"`
	Sources       int64 `json:"sources"`
	Instances     int64 `json:"instances"`
	Relationships int64 `json:"relationships"`
	// Outdated is how many concepts have an embedding of another model than the graph's then: a
	// job of the type reembed makes them anew.
	Outdated int64 `json:"outdated_embeddings,omitempty"`

	Removed *RestoreStats `json:"removed,omitempty"` // before that, to replace it
}
