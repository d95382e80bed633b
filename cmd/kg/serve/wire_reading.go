package serve

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/ingest"
	"github.com/kappagraph/kappa/internal/reading"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// intakePart reads documents: before they are ingested, and for their jobs.
type intakePart struct {
	readers *readers
	analyst *ingest.Analyst
}

// wireAnalyst connects what sizes documents before they are ingested.
func (s *server) wireAnalyst(context.Context) error {
	s.intake.analyst = ingest.NewAnalyst(ingest.AnalystConfig{
		Server: s.id, Workers: s.settings.Reading.AnalysisWorkers,
		Store: s.db.Ingestions(), Formats: s.intake.readers.Analyses(), Models: s.estimates, Band: s.db.Estimates(),
		Texts: s.db.Ingestions().Texts, Now: s.db.Now, Log: s.log,
	})
	return nil
}

// readers are the parts that read documents.
type readers struct {
	*reading.Reader

	settings readingSettings
	bin      string
	here     *formats.Reader // reads in this process
	dir      *datasetDir     // nil when nothing is read elsewhere
	log      *slog.Logger
}

// openReaders connects them.
func (s *server) openReaders(context.Context) (err error) {
	r := &readers{settings: s.settings.Reading, bin: s.settings.Reading.program(), here: formats.NewReader(), log: s.log}
	s.intake.readers = r
	config := reading.Config{
		Bin: r.bin, Args: []string{"read"}, Children: r.settings.Workers, Jobs: r.settings.Workers - r.settings.AnalysisWorkers,
		Local: r.here, Limit: r.settings.Limit, FindOCR: r.settings.findOCR, Version: readerVersion(r.bin, s.settings.Version), Log: s.log, Ready: r.ready,
	}
	if r.bin != "" {
		if r.dir, err = newDatasetDir("", dirOfReaders); err != nil {
			return err
		}
		config.Dir = filepath.Join(r.dir.path, "compiled")
		if err = errors.Join(os.Mkdir(config.Dir, 0o755), os.Chmod(config.Dir, 0o755)); err != nil { // processes of another user read it
			return errors.Join(err, r.dir.remove())
		}
	}
	r.Reader = reading.New(config)
	return nil
}

// findOCR returns the program that reads pictures, or why there is none.
func (r *readingSettings) findOCR(ctx context.Context) (reading.OCR, error) {
	if r.OCR == ocrOff {
		return reading.OCR{}, errors.New("KG_OCR is off")
	}
	return reading.FindOCR(ctx, r.OCR, r.OCRLanguages)
}

// run runs the processes until ctx ends.
func (r *readers) run(ctx context.Context) error {
	ocr, err := r.PicturesBy(ctx)
	switch {
	case r.bin == "": // nor are pictures read
		r.log.WarnContext(ctx, "documents are read in the server, without walls", "reason", r.without())
	case err != nil:
		r.log.InfoContext(ctx, "pictures of text are not read", "reason", err)
	default:
		r.log.InfoContext(ctx, "pictures of text are read", "by", ocr.String())
	}
	err = errors.Join(r.Run(ctx), r.here.Close(context.WithoutCancel(ctx)))
	if r.dir != nil {
		err = errors.Join(err, r.dir.remove())
	}
	return err
}

// without says why documents are read in the server.
func (r *readers) without() string {
	if r.settings.Workers == 0 {
		return "KG_READ_WORKERS is 0"
	}
	return "this system or this program has no processes that read"
}

// ready logs what a process is protected by.
func (r *readers) ready(h frame.Hello) {
	log := r.log.Info
	if frame.LacksProtection(h.NotInForce) {
		log = r.log.Warn
	}
	log("documents are read in processes of their own", "in_force", h.InForce, "not_in_force", h.NotInForce)
}

// Status says how documents are read, and behind which walls.
func (r *readers) Status(ctx context.Context) corpus.ReadingStatus {
	status := corpus.ReadingStatus{Workers: r.settings.Workers, InForce: []string{}, NotInForce: []string{}}
	if r.bin == "" {
		status.Workers, status.NotInForce = 0, []string{"processes of their own: " + r.without()}
		return status
	}
	if err := r.Check(ctx); err != nil {
		status.Problem = new(kappa.ErrorMessage(err))
	}
	if h := r.Hello(); h != nil {
		status.InForce, status.NotInForce = append(status.InForce, h.InForce...), append(status.NotInForce, h.NotInForce...)
	}
	s := r.Stats()
	status.Alive, status.Busy, status.Tasks, status.Started, status.Killed, status.Crashed, status.Retired = s.Alive, s.Busy, s.Tasks, s.Started, s.Killed, s.Crashed, s.Retired
	return status
}
