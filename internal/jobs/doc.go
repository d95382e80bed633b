// Package jobs holds the job types that are not ingestion, a file each. The
// test types noop, sleep and effect exercise lanes without documents.
package jobs
