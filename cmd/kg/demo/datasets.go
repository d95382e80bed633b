package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/follow"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// The dataset of the demo, which the server makes itself, and what is asked of it.
const makeTrips = `SELECT range AS id, ['Basel', 'Bern', 'Chur', 'Genf', 'Zug'][range % 5 + 1] AS city,
  (500 + (range * 7919) % 4500)::DECIMAL(10, 2) / 100 AS fare, TIMESTAMP '2026-01-01' + INTERVAL (range * 37) SECOND AS began
FROM range(500000)`

const bomb = "SELECT sum(length(repeat(city, 500000000))) FROM trips"

func sqlQuestions() []string {
	return []string{
		"SELECT city, count(*) AS trips, round(avg(fare), 2) AS fare FROM trips GROUP BY city ORDER BY fare DESC, city LIMIT 3",
		"SELECT monthname(began) AS month, sum(fare)::DECIMAL(12,2) AS income FROM trips GROUP BY month ORDER BY income DESC LIMIT 2",
		"SELECT max(fare) - min(fare) AS span, count(DISTINCT began::DATE) AS days FROM trips",
	}
}

// datasets writes a Parquet file, asks questions to it, and sends one that would take all
// the memory of the machine.
func (d *demo) datasets(ctx context.Context) error {
	d.announce("Write a Parquet file, and ask it questions in SQL")
	file := filepath.Join(d.dir, "trips.parquet")
	switch err := d.writeDataset(ctx, file); {
	case kappa.ErrorCode(err) == kappa.CodeUnavailable:
		d.say("  left out: %s", show.OneLine(err.Error()))
		return nil
	case err != nil:
		return err
	}
	trips := client.DatasetFile{TableName: "trips", Path: file}
	for _, sql := range sqlQuestions() {
		d.say("  %s", d.paint.Dim(sql))
		rows, err := d.client.Datasets.Query(ctx, datasets.Query{SQL: sql}, trips)
		if err != nil {
			return fmt.Errorf("ask the dataset: %w", err)
		}
		for _, row := range rows.Rows {
			d.say("    %s", show.OneLine(string(row)))
		}
	}
	d.say("  %s", d.paint.Dim(bomb))
	began := time.Now()
	_, err := d.client.Datasets.Query(ctx, datasets.Query{SQL: bomb}, trips)
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Dataset == nil {
		return fmt.Errorf("a question that takes all memory was not refused as one: %w", err)
	}
	d.say("    refused after %s: %s", show.Span(time.Since(began)), show.OneLine(err.Error()))
	return nil
}

// writeDataset has the server write the dataset in a job, and downloads it.
func (d *demo) writeDataset(ctx context.Context, path string) error {
	if status, err := d.client.Datasets.Status(ctx); err == nil && status.Problem != nil {
		return kappa.NewError(kappa.CodeUnavailable, *status.Problem)
	}
	reply, err := d.client.Datasets.Submit(ctx, datasets.Job{SQL: makeTrips, Datasets: []datasets.Dataset{}, Format: datasets.FormatParquet})
	if err != nil {
		return fmt.Errorf("submit a dataset job: %w", err)
	}
	outcomes, err := follow.New(d.client, silent{}).Run(ctx, []follow.Job{{ID: reply.JobID, Name: "trips.parquet"}})
	if err != nil {
		return err
	}
	if err := follow.Verdict(outcomes); err != nil {
		return errors.Join(err, errors.New(outcomes[0].Reason))
	}
	job, err := d.client.Jobs.Get(ctx, reply.JobID)
	if err != nil {
		return fmt.Errorf("read the dataset job: %w", err)
	}
	var result struct {
		ArtifactID int   `json:"artifact_id"`
		TotalRows  int64 `json:"total_rows"`
		Bytes      int   `json:"bytes"`
	}
	if err := json.Unmarshal(job.Result, &result); err != nil {
		return fmt.Errorf("read the result of the dataset job: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make the dataset: %w", err)
	}
	_, err = d.client.Artifacts.Download(ctx, result.ArtifactID, file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	d.say("  trips.parquet: %s, %s, written by a job", show.Counted(int(result.TotalRows), "row"), strings.TrimSpace(corpus.HumanSize(result.Bytes)))
	return nil
}

// silent shows nothing of a job.
type silent struct{}

// Update does nothing.
func (silent) Update(client.Update) {}

// Tick does nothing.
func (silent) Tick() {}

// Close does nothing.
func (silent) Close() {}
