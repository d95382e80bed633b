package postgres

import (
	"context"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/postgres/db"
	"github.com/kappagraph/kappa/storage"
)

// StorageStore says what the database holds.
type StorageStore struct{ *base }

// Storage returns the store of what is stored.
func (d *DB) Storage() StorageStore { return StorageStore{&d.base} }

// StorageUse returns how much there is of each kind of things. It reads the catalogue alone.
func (s StorageStore) StorageUse(ctx context.Context) (storage.Use, error) {
	rows, err := s.q().StorageTables(ctx)
	if err != nil {
		return storage.Use{}, translate(err, "read how large the tables are")
	}
	tables := make([]storage.Table, len(rows))
	for i, r := range rows {
		tables[i] = storage.Table{Name: r.Name, Rows: r.AboutRows, TableBytes: r.TableBytes, IndexBytes: r.IndexBytes}
	}
	whole, err := s.q().StorageDatabase(ctx)
	return storage.NewUse(whole.Name, whole.Bytes, tables), translate(err, "read how large the database is")
}

// StorageReadable returns the name of the database when what is stored there can be read.
func (s StorageStore) StorageReadable(ctx context.Context) (database string, err error) {
	row, err := s.q().StorageReadable(ctx)
	return row.Name, translate(err, "read what is stored")
}

// StoredAbout returns about how many documents are stored, from the catalogue alone.
func (s StorageStore) StoredAbout(ctx context.Context) (int, error) {
	n, err := s.q().ContentsAbout(ctx)
	return int(n), translate(err, "count what is stored")
}

// StoredObjects returns a page of the stored documents by their hash.
func (s StorageStore) StoredObjects(ctx context.Context, p storage.StoredObjectPage) ([]storage.StoredObject, error) {
	objects := []storage.StoredObject{}
	prefix, ours := strings.CutPrefix(p.Prefix, storage.ObjectPrefix)
	if !ours && p.Prefix != "" && !strings.HasPrefix(storage.ObjectPrefix, p.Prefix) || inNoRow(p.Prefix) {
		return objects, nil
	}
	if !ours {
		prefix = ""
	}
	rows, err := s.q().ContentObjects(ctx, prefix, int32(p.Offset), int32(p.Limit))
	for _, r := range rows {
		if strings.HasPrefix(r.ContentHash, prefix) {
			objects = append(objects, toObject(r.ContentHash, r.Bytes, kappa.At(r.CreatedAt)))
		}
	}
	return objects, translate(err, "list the stored documents")
}

func toObject(hash string, bytes int64, at kappa.Time) storage.StoredObject {
	return storage.StoredObject{Key: storage.ObjectPrefix + hash, Size: bytes, LastModified: at, ETag: hash}
}

// StoredObject returns what is known of a stored document. It returns CodeNotFound for a key
// that there is not.
func (s StorageStore) StoredObject(ctx context.Context, key string) (storage.StoredObjectDetails, error) {
	hash, _ := strings.CutPrefix(key, storage.ObjectPrefix)
	missing := notFound("Object not found: %s", key)
	if inNoRow(hash) {
		return storage.StoredObjectDetails{}, missing
	}
	r, err := s.q().ContentObject(ctx, hash)
	if isNoRows(err) {
		return storage.StoredObjectDetails{}, missing
	}
	return storage.StoredObjectDetails{
		StoredObject: toObject(r.ContentHash, r.Bytes, kappa.At(r.CreatedAt)), ContentType: r.ContentType,
		Metadata: map[string]string{"filename": r.Filename, "documents": strconv.FormatInt(r.Documents, 10), "jobs": strconv.FormatInt(r.Jobs, 10)},
	}, translate(err, "read a stored document")
}

// mostReferences is how many keys are listed of those that are orphaned or missing.
const mostReferences = 100

// StorageReferences compares the documents of an ontology, or of all for "", with what is
// stored. What is orphaned is so in all of the database, so it is looked for without one only.
func (s StorageStore) StorageReferences(ctx context.Context, ontology string) (storage.References, error) {
	out := storage.References{Orphaned: []string{}, Missing: []string{}}
	if ontology != "" && inNoRow(ontology) {
		return out, notFound("Ontology '%s' not found", ontology)
	}
	counts, err := s.q().ContentReferences(ctx, ontology)
	if err != nil {
		return out, translate(err, "count the stored documents")
	}
	out.CheckedAt, out.Objects, out.References = kappa.At(counts.At), int(counts.Contents), int(counts.Documents)
	if ontology != "" {
		out.Ontology, out.Objects = &ontology, int(counts.Documents)
	} else if out.Orphaned, err = s.q().ContentsOrphaned(ctx, mostReferences); err != nil {
		return out, translate(err, "find stored documents that nothing refers to")
	}
	if out.Missing, err = s.q().ContentsMissing(ctx, ontology, mostReferences); err != nil {
		return out, translate(err, "find documents that are not stored")
	}
	for _, list := range [][]string{out.Orphaned, out.Missing} {
		for i := range list {
			list[i] = storage.ObjectPrefix + list[i]
		}
	}
	out.Objects -= len(out.Missing) * min(1, len(ontology))
	out.Consistent = len(out.Orphaned)+len(out.Missing) == 0
	return out, nil
}

// CleanupPreview returns how much a cleanup would remove now, by what it is, and counted to
// storage.MostDue. It removes nothing.
func (s StorageStore) CleanupPreview(ctx context.Context, keep storage.RetentionSettings) (map[string]int64, error) {
	r, err := s.q().CleanupPreview(ctx, db.CleanupPreviewParams{
		KeepCompleted: keep.Jobs.Completed, KeepFailed: keep.Jobs.Failed, KeepAudit: keep.Audit, KeepKeys: keep.Keys, KeepClips: artifacts.DataclipUnusedKept, Most: storage.MostDue,
	})
	return map[string]int64{
		"completed_jobs": r.CompletedJobs, "failed_jobs": r.FailedJobs, "contents": r.Contents, "schedule_runs": r.ScheduleRuns, "audit_entries": r.AuditEntries,
		"submissions": r.Submissions, "artifacts": r.Artifacts, "files": r.Files, "dataclips": r.Dataclips,
	}, translate(err, "count what a cleanup would remove")
}
