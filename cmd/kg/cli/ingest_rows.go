package cli

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/work"
)

// rowFunc is called with the key and the text of each row; both are empty where they are
// NULL.
type rowFunc func(ctx context.Context, key, text string) error

// keyAndText asks for the two columns of another question as texts. They are in base64, so
// that a CSV file holds each byte of them.
func (r *rowFlags) keyAndText() string {
	column := func(name string) string {
		return `base64(encode(coalesce("` + strings.ReplaceAll(name, `"`, `""`) + `"::VARCHAR, '')))`
	}
	key := "''"
	if r.key != "" {
		key = column(r.key)
	}
	return "SELECT " + key + " AS key, " + column(r.text) + " AS text FROM (\n" + strings.TrimRight(r.sql, "; \t\r\n") + "\n)"
}

// readRows asks the question and calls row with each row of its answer: of one answer when
// that holds all of them, else of the file of a job.
func (a *App) readRows(ctx context.Context, c *client.Client, flags *rowFlags, source string, row rowFunc) error {
	q := datasets.Query{SQL: flags.sql, Limit: 1}
	var files []client.DatasetFile
	if flags.upload {
		files = []client.DatasetFile{{TableName: "dataset", Path: source}}
	} else {
		q.Datasets = []datasets.Dataset{{URL: source, TableName: "dataset"}}
	}
	found, err := c.Datasets.Query(ctx, q, files...)
	if err != nil {
		return fmt.Errorf("query the dataset: %w", err)
	}
	if err := flags.check(found.Columns); err != nil {
		return err
	}
	q.SQL, q.Limit = flags.keyAndText(), datasets.MaxRows
	if found.TotalRows <= datasets.MaxRows {
		return readPage(ctx, c, q, files, row)
	}
	if flags.upload {
		a.note("%d rows: the file is sent once for each %d", found.TotalRows, datasets.MaxRows)
		return readPages(ctx, c, q, files, found.TotalRows, row)
	}
	a.note("%d rows are fetched by a job", found.TotalRows)
	return a.readByJob(ctx, c, datasets.Job{SQL: q.SQL, Datasets: q.Datasets, Format: datasets.FormatCSV}, row)
}

// readPages asks for the rows of an answer page by page, in an order of its columns, so
// that no row is on two pages.
func readPages(ctx context.Context, c *client.Client, q datasets.Query, files []client.DatasetFile, rows int64, row rowFunc) error {
	all := q.SQL
	for from := int64(0); from < rows; from += datasets.MaxRows {
		q.SQL = fmt.Sprintf("%s ORDER BY ALL LIMIT %d OFFSET %d", all, datasets.MaxRows, from)
		if err := readPage(ctx, c, q, files, row); err != nil {
			return err
		}
	}
	return nil
}

func readPage(ctx context.Context, c *client.Client, q datasets.Query, files []client.DatasetFile, row rowFunc) error {
	found, err := c.Datasets.Query(ctx, q, files...)
	if err != nil {
		return fmt.Errorf("query the dataset: %w", err)
	}
	return readAnswer(ctx, found.Rows, row)
}

func readAnswer(ctx context.Context, rows []json.RawMessage, row rowFunc) error {
	for _, r := range rows {
		var members struct{ Key, Text string }
		if err := json.Unmarshal(r, &members); err != nil {
			return fmt.Errorf("read a row of the answer: %w", err)
		}
		if err := decoded(ctx, members.Key, members.Text, row); err != nil {
			return err
		}
	}
	return nil
}

func decoded(ctx context.Context, key, text string, row rowFunc) error {
	k, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return fmt.Errorf("read the key of a row: %w", err)
	}
	t, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("read the text of a row: %w", err)
	}
	return row(ctx, string(k), string(t))
}

// readByJob has a job write the whole answer, downloads it and removes it from the server.
func (a *App) readByJob(ctx context.Context, c *client.Client, job datasets.Job, row rowFunc) error {
	id, err := a.answerOf(ctx, c, job)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp("", "kg-rows-")
	if err != nil {
		return fmt.Errorf("keep the answer: %w", err)
	}
	defer func() { _ = errors.Join(file.Close(), os.Remove(file.Name())) }()
	if _, err := c.Artifacts.Download(ctx, id, file); err != nil {
		return fmt.Errorf("download the answer: %w", err)
	}
	if err := c.Artifacts.Delete(ctx, id); err != nil {
		a.note("The file of the answer is still on the server: kg artifacts delete %d", id)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	lines := csv.NewReader(bufio.NewReader(file))
	lines.FieldsPerRecord, lines.ReuseRecord = 2, true
	for n := 0; ; n++ {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if n == 0 {
			continue // the names
		}
		if err := decoded(ctx, fields[0], fields[1], row); err != nil {
			return err
		}
	}
}

// answerOf runs a job and returns the id of the artifact with its answer.
func (a *App) answerOf(ctx context.Context, c *client.Client, job datasets.Job) (int, error) {
	reply, err := c.Datasets.Submit(ctx, job)
	if err != nil {
		return 0, fmt.Errorf("submit the question: %w", err)
	}
	for _, err := range c.Jobs.Watch(ctx, reply.JobID) {
		if err != nil {
			return 0, fmt.Errorf("watch job %s: %w", reply.JobID, err)
		}
	}
	ended, err := c.Jobs.Get(ctx, reply.JobID)
	if err != nil {
		return 0, fmt.Errorf("read job %s: %w", reply.JobID, err)
	}
	if ended.Status != work.StatusCompleted {
		why := string(ended.Status)
		if ended.Error != nil {
			why = *ended.Error
		}
		return 0, &exit.Error{Code: exit.JobFailed, Err: fmt.Errorf("job %s: %s", reply.JobID, why)}
	}
	return artifactOf(ended)
}
