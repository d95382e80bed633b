package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/formats"
)

// longPages is from how many pages on a PDF is a long one.
const longPages = 50

// speed is the processor time that short or long PDFs take, in our reader and in pdftotext.
type speed struct {
	name         string
	files        []string
	pages        int
	ours, theirs time.Duration
}

// measureSpeed prints how long PDFs take beside pdftotext, in so many rounds. They are read as a server
// has them read: in a process that it would kill, one after another, by what was compiled before.
func measureSpeed(ctx context.Context, folder, manifest string, rounds int) (err error) {
	files, _, err := readManifest(manifest, folder)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "compiled")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := formats.Compile(ctx, dir); err != nil {
		return err
	}
	short, long := &speed{name: "short"}, &speed{name: "long"}
	for _, f := range files {
		if f.kind != "pdf" {
			continue
		}
		pages, _, err := pdftotext(ctx, f.full)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil: // it does not read it
		case pages < longPages:
			short.add(f.full, pages)
		default:
			long.add(f.full, pages)
		}
	}
	for _, s := range []*speed{long, short} {
		if len(s.files) == 0 {
			continue
		}
		for range rounds {
			if err := s.measure(ctx, dir); err != nil {
				return err
			}
		}
		n := time.Duration(rounds)
		fmt.Printf("%d %s PDFs of %d pages: %.1f s of processor time, pdftotext %.1f s, %.1f times, %.1f ms a page\n", len(s.files), s.name, s.pages,
			(s.ours / n).Seconds(), (s.theirs / n).Seconds(), s.ours.Seconds()/s.theirs.Seconds(), (s.ours/n).Seconds()*1000/float64(s.pages))
	}
	return nil
}

func (s *speed) add(file string, pages int) {
	s.files, s.pages = append(s.files, file), s.pages+pages
}

// measure adds a round: our reader and pdftotext, each on all files.
func (s *speed) measure(ctx context.Context, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, append([]string{"-read", dir}, s.files...)...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("read PDFs in a process of their own: %w", err)
	}
	s.ours += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	for _, file := range s.files {
		_, took, err := pdftotext(ctx, file)
		if err != nil {
			return err
		}
		s.theirs += took
	}
	return nil
}

// pdftotext returns how many pages it reads, and its processor time.
func pdftotext(ctx context.Context, file string) (pages int, took time.Duration, err error) {
	c := exec.CommandContext(ctx, "pdftotext", "-enc", "UTF-8", file, "-")
	text, err := c.Output()
	if err != nil {
		return 0, 0, fmt.Errorf("pdftotext %s: %w", file, err)
	}
	return bytes.Count(text, []byte("\f")), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
}

// readPDFs is what a process does whose time is measured: it reads PDFs by what was compiled into a
// directory.
func readPDFs(ctx context.Context, dir string, files []string) (err error) {
	r := formats.NewReader()
	r.EndWithProcess()
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(ctx))) }()
	if err := r.UseCompiled(dir); err != nil {
		return err
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		_, _ = r.TextAndPictures(ctx, body, corpus.ContentPDF) // what is refused took its time too
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}
