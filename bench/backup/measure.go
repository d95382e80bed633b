package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/kappagraph/kappa/bench/processor"
	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// figures are what one way took.
type figures struct {
	bytes  int64 // of the archive, compressed
	took   time.Duration
	before int64 // bytes of resident memory of the server before it began; 0 where the system does not tell
	peak   int64 // the most, meanwhile

	server, database time.Duration // of processors
}

// way is the name of a direction and its figures.
type way struct {
	name string
	figures
}

// measureBackup has a server of its own write an archive into the file path.
func measureBackup(ctx context.Context, o options, dsn, path string) (f figures, err error) {
	file, err := os.Create(path)
	if err != nil {
		return f, err
	}
	defer file.Close()
	return measure(ctx, o, dsn, func(s *serving.Server) (int64, error) { return s.API.Backups.Download(ctx, "", file) })
}

// measureRestore has a server of its own restore the file path into an empty graph. It
// counts from the upload to the end of the job.
func measureRestore(ctx context.Context, o options, dsn, path string) (figures, error) {
	return measure(ctx, o, dsn, func(s *serving.Server) (int64, error) {
		stat, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		restored, err := s.API.Backups.Restore(ctx, path, storage.RestoreReplace)
		if err != nil {
			return 0, err
		}
		for {
			job, err := s.API.Jobs.Get(ctx, restored.JobID)
			switch {
			case err != nil:
				return 0, err
			case job.Status == work.StatusCompleted:
				return stat.Size(), nil
			case job.Status.Terminal():
				return 0, fmt.Errorf("the job is %s: %s", job.Status, why(job))
			}
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

// why returns why a job has failed.
func why(j work.Job) string {
	if j.Error == nil {
		return "it does not say why"
	}
	return *j.Error
}

func measure(ctx context.Context, o options, dsn string, do func(*serving.Server) (int64, error)) (f figures, err error) {
	s, err := serving.Start(ctx, o.kg, "DATABASE_URL="+dsn, "KG_SEARCH_MEMORY=0") // that index would take more memory than all else
	if err != nil {
		return f, err
	}
	defer s.Stop()
	f.before = memory(s.PID(), "VmRSS")
	server, database := o.processor(s)
	began := time.Now()
	f.bytes, err = do(s)
	f.took, f.peak = time.Since(began), memory(s.PID(), "VmHWM")
	f.server, f.database = o.processor(s)
	f.server, f.database = f.server-server, f.database-database
	return f, err
}

// processor returns the processor time of the server and of the database so far; 0 where
// the system does not tell.
func (o options) processor(s *serving.Server) (server, database time.Duration) {
	server, _ = processor.Of(s.PID())
	database, _ = processor.OfCluster(o.data)
	return server, database
}

// memory returns a line of what Linux knows of a process, in bytes.
func memory(pid int, name string) (bytes int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // other systems have none
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			_, _ = fmt.Sscan(value, &bytes)
		}
	}
	return bytes * 1024
}

// uncompressed returns how many bytes of lines an archive holds.
func uncompressed(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	lines, err := zstd.NewReader(file)
	if err != nil {
		return 0, err
	}
	defer lines.Close()
	return io.Copy(io.Discard, lines)
}

// report prints the figures beside the demands. It returns an error for a strict run that
// missed one.
func report(ways []way, lines int64, strict bool) error {
	missed := 0
	verdict := func(met bool) string {
		if met {
			return "ok"
		}
		missed++
		return "MISSED"
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\tseconds\tof a processor: server\tdatabase\tMB/s of lines\tMB/s compressed\tmust\t\tRSS before\tpeak RSS\tmust\t\n")
	for _, f := range ways {
		rate, peak := float64(lines)/million/f.took.Seconds(), float64(f.peak)/million
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t≥ %d MB/s of lines\t%s\t%.0f MB\t%.0f MB\t≤ %d MB\t%s\n", f.name, f.took.Seconds(), f.server.Seconds(), f.database.Seconds(), rate, float64(f.bytes)/million/f.took.Seconds(),
			mustRate, verdict(rate >= mustRate), float64(f.before)/million, peak, mustMemory, verdict(peak <= mustMemory))
	}
	_ = w.Flush() // there is nobody to report it to
	if missed > 0 && strict {
		return fmt.Errorf("%d demands missed", missed)
	}
	return nil
}
