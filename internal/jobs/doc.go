// Package jobs holds the job types that are not ingestion, a file each.
package jobs
