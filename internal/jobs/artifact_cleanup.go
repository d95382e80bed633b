package jobs

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/work"
)

// expired are artifacts that may be deleted, and files that belong to none.
type expired interface {
	ArtifactFigures(ctx context.Context) (artifacts.Figures, error)
	ExpiredArtifacts(ctx context.Context) (expired []artifacts.Expired, orphans []int64, err error)
	DeleteExpired(ctx context.Context, id int) (bool, error)
	DeleteOrphan(ctx context.Context, file int64) (bool, error)
}

type cleanupData struct {
	DryRun         bool `json:"dry_run"`
	IncludeOrphans bool `json:"include_orphans"`
}

type cleanupResult struct {
	Success    bool              `json:"success"`
	DryRun     bool              `json:"dry_run"`
	Expired    int               `json:"expired_found"`
	Orphans    int               `json:"orphans_found"`
	Deleted    int               `json:"artifacts_deleted"`
	Files      int               `json:"garage_objects_deleted"`
	Errors     int               `json:"garage_delete_errors"` // always 0: what cannot be deleted fails the attempt
	Statistics artifacts.Figures `json:"statistics"`           // as of the end
}

// NewArtifactCleanup returns the job type artifact_cleanup: it deletes the artifacts that
// have expired, and the files that belong to none. It yields after every one; an attempt
// after one that was interrupted deletes what is left.
func NewArtifactCleanup(store expired, claims checkpointer, retry work.Retrying) work.JobType {
	return typed(work.JobType{
		Name: artifacts.TypeCleanup, Summary: "Deletes kept results that have expired.", Lane: "system", Permission: access.WorkersManage,
		Schedulable: true, Retryable: true,
	}, dataOf(cleanupData{IncludeOrphans: true}, `{"dry_run": true, "include_orphans": true}`, nil), func(ctx context.Context, c work.Claim, data cleanupData) (any, error) {
		result := cleanupResult{Success: true, DryRun: data.DryRun}
		err := cleanArtifacts(ctx, store, data, &result, yielder(ctx, c, claims, retry, "deleting"))
		return result, err
	})
}

// cleanArtifacts deletes what has expired, or only counts it.
func cleanArtifacts(ctx context.Context, store expired, data cleanupData, result *cleanupResult, yield func(done, of int) error) error {
	list, orphans, err := store.ExpiredArtifacts(ctx)
	if err != nil {
		return err
	}
	if !data.IncludeOrphans {
		orphans = nil
	}
	result.Expired, result.Orphans = len(list), len(orphans)
	all, done := len(list)+len(orphans), 0
	if data.DryRun {
		list, orphans = nil, nil
	}
	if err := yield(0, all); err != nil {
		return err
	}
	for _, a := range list {
		gone, err := store.DeleteExpired(ctx, a.ID)
		if err != nil {
			return err
		}
		if gone {
			result.Deleted++
		}
		if gone && a.HasFile {
			result.Files++
		}
		done++
		if err := yield(done, all); err != nil {
			return err
		}
	}
	for _, file := range orphans {
		gone, err := store.DeleteOrphan(ctx, file)
		if err != nil {
			return err
		}
		if gone {
			result.Files++
		}
		done++
		if err := yield(done, all); err != nil {
			return err
		}
	}
	result.Statistics, err = store.ArtifactFigures(ctx)
	return err
}
