package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// demoDocument is a document of the demo and its job.
type demoDocument struct {
	path string // as it is shown
	body []byte
	hash string // names it in the graph
	job  kappa.Job
}

// readDemoDocuments reads the files and the texts of the directories: README.md
// and docs/ of this directory when none are given.
func readDemoDocuments(paths []string) ([]demoDocument, error) {
	if len(paths) == 0 {
		for _, path := range []string{"README.md", "docs"} {
			if _, err := os.Stat(path); err == nil {
				paths = append(paths, path)
			}
		}
	}
	if len(paths) == 0 {
		return nil, &exit.Error{
			Code: exit.Misused, Err: errors.New("there is neither README.md nor docs/ here"),
			Hint: "give the files or directories to read: kg demo PATH...",
		}
	}
	var files []string
	for _, path := range paths {
		stat, err := os.Stat(path)
		if err != nil {
			return nil, &exit.Error{Code: exit.NotFound, Err: fmt.Errorf("read the documents: %w", err)}
		}
		if !stat.IsDir() {
			files = append(files, path)
			continue
		}
		found, err := findFiles(path, true, defaultIncludes())
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return openDemoDocuments(files)
}

// openDemoDocuments reads files, each document once and without the empty ones.
func openDemoDocuments(files []string) ([]demoDocument, error) {
	var documents []demoDocument
	for _, path := range files {
		d, err := withFile(client.Document{}, path)
		if err != nil {
			return nil, err
		}
		one := demoDocument{path: filepath.ToSlash(path), body: d.Body, hash: kappa.ContentHash(d.Body)}
		known := slices.ContainsFunc(documents, func(d demoDocument) bool { return d.hash == one.hash })
		if !known && len(bytes.TrimSpace(d.Body)) > 0 {
			documents = append(documents, one)
		}
	}
	switch {
	case len(documents) == 0:
		return nil, &exit.Error{Code: exit.Misused, Err: errors.New("there is no text to read in the given places")}
	case len(documents) > demoMostDocs:
		return nil, exit.Usage("the demo reads at most %d documents, got %d: give fewer", demoMostDocs, len(documents))
	}
	return documents, nil
}

// place says where a quote stands in the file as an editor wants it, path and
// line; ok is false when the file has something else there.
func (d demoDocument) place(e kappa.Evidence) (where string, ok bool) {
	if e.DocumentID != d.hash || e.Start < 0 || e.Start >= e.End || e.End > len(d.body) {
		return "", false
	}
	if string(d.body[e.Start:e.End]) != e.Quote {
		return "", false
	}
	return fmt.Sprintf("%s:%d", d.path, 1+bytes.Count(d.body[:e.Start], []byte("\n"))), true
}
